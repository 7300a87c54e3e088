// SPDX-License-Identifier: Apache-2.0
// OpenCV's deconvolution with a 1x1 kernel does not crop what the padding takes away.
//     g++ opencv-deconvolution-1x1-padding.cpp -I/usr/include/opencv4 -lopencv_dnn -lopencv_core && ./a.out
// Exit code 0: right. 1: wrong, or a signal: it writes beyond its output.
#include <cstdio>
#include <opencv2/dnn.hpp>

int main() {
  cv::dnn::LayerParams layer;
  layer.name = "one";
  layer.type = "Deconvolution";
  const int kernel[] = {1, 1}, padding[] = {1, 0, 1, 0};  // one row at the top, one at the bottom
  layer.set("num_output", 1);
  layer.set("bias_term", false);
  layer.set("kernel_size", cv::dnn::DictValue::arrayInt(kernel, 2));
  layer.set("pad", cv::dnn::DictValue::arrayInt(padding, 4));
  const int one[] = {1, 1, 1, 1}, column[] = {1, 1, 3, 1};
  cv::Mat weights(4, one, CV_32F, cv::Scalar(1));
  layer.blobs.push_back(weights);
  cv::dnn::Net net;
  net.connect(0, 0, net.addLayer(layer.name, layer.type, layer), 0);
  float rows[] = {1, 2, 3};
  net.setInput(cv::Mat(4, column, CV_32F, rows));
  const cv::Mat result = net.forward();
  const float got = *result.ptr<float>();
  std::printf("rows 1 2 3, of which padding takes the first and the last: %g, must be 2\n", got);
  std::fflush(stdout);
  return result.total() == 1 && got == 2 ? 0 : 1;
}

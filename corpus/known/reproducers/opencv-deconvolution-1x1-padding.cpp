// SPDX-License-Identifier: Apache-2.0
// OpenCV's deconvolution with a 1x1 kernel does not crop what the padding takes away.
//     g++ opencv-deconvolution-1x1-padding.cpp -I/usr/include/opencv4 -lopencv_dnn -lopencv_core && ./a.out
// Exit code 0: right. 1: wrong, or a signal: it writes beyond its output.
#include <cstdio>
#include <opencv2/dnn.hpp>

int main() {
  cv::dnn::LayerParams layer;
  layer.set("num_output", 1);
  layer.set("bias_term", false);
  layer.set("kernel_size", 1);
  layer.set("pad_h", 1);  // one row at the top, one at the bottom
  layer.set("pad_w", 0);
  const int one[] = {1, 1, 1, 1}, column[] = {1, 1, 3, 1};
  layer.blobs.push_back(cv::Mat(4, one, CV_32F, cv::Scalar(1)));
  cv::dnn::Net net;
  net.addLayerToPrev("one", "Deconvolution", layer);
  float rows[] = {1, 2, 3};
  net.setInput(cv::Mat(4, column, CV_32F, rows));
  const float got = *net.forward().ptr<float>();
  std::printf("rows 1 2 3, of which padding takes the first and the last: %g, must be 2\n", got);
  std::fflush(stdout);  // where it dies later
  return got == 2 ? 0 : 1;
}

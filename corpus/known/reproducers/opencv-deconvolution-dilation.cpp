// SPDX-License-Identifier: Apache-2.0
// OpenCV's deconvolution ignores the dilation.
//     g++ opencv-deconvolution-dilation.cpp -I/usr/include/opencv4 -lopencv_dnn -lopencv_core && ./a.out
// Exit code 0: right. 1: wrong.
#include <cstdio>
#include <opencv2/dnn.hpp>

int main() {
  cv::dnn::LayerParams layer;
  layer.set("num_output", 1);
  layer.set("bias_term", false);
  layer.set("kernel_h", 1);
  layer.set("kernel_w", 2);
  layer.set("dilation", 2);
  const int taps[] = {1, 1, 1, 2}, pixel[] = {1, 1, 1, 1};
  layer.blobs.push_back(cv::Mat(4, taps, CV_32F, cv::Scalar(1)));
  cv::dnn::Net net;
  net.addLayerToPrev("one", "Deconvolution", layer);
  net.setInput(cv::Mat(4, pixel, CV_32F, cv::Scalar(1)));
  const cv::Mat result = net.forward();
  std::printf("a pixel and a kernel of 1x2 with dilation 2 give 1x%d, must be 1x3\n", result.size[3]);
  return result.size[3] == 3 ? 0 : 1;
}

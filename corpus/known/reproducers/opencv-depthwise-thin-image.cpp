// SPDX-License-Identifier: Apache-2.0
// OpenCV: a depthwise 3x3 convolution of an image of one row reads the row below it, which is other memory.
//     g++ opencv-depthwise-thin-image.cpp -I/usr/include/opencv4 -lopencv_dnn -lopencv_core && ./a.out
// Exit code 0: right. 1: wrong.
#include <cstdio>
#include <opencv2/dnn.hpp>

int main() {
  cv::dnn::LayerParams layer;
  layer.set("num_output", 4);
  layer.set("group", 4);
  layer.set("bias_term", false);
  layer.set("kernel_size", 3);
  layer.set("pad", 1);
  const int taps[] = {4, 1, 3, 3}, row[] = {1, 4, 1, 64};
  layer.blobs.push_back(cv::Mat(4, taps, CV_32F, cv::Scalar(1)));
  cv::dnn::Net net;
  net.addLayerToPrev("one", "Convolution", layer);
  net.setInput(cv::Mat(4, row, CV_32F, cv::Scalar(1)));
  const cv::Mat result = net.forward();
  const float* got = result.ptr<float>();
  std::printf("64 ones, three of them added at a time: %g %g ... %g, must be 2 3 ... 2\n", got[0], got[1], got[63]);
  return got[0] == 2 && got[1] == 3 && got[63] == 2 ? 0 : 1;
}

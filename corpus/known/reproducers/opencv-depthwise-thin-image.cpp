// SPDX-License-Identifier: Apache-2.0
// OpenCV: a depthwise 3x3 convolution of an image of one row reads the row below it, which is other memory.
//     g++ opencv-depthwise-thin-image.cpp -I/usr/include/opencv4 -lopencv_dnn -lopencv_core && ./a.out
// Exit code 0: right. 1: wrong.
#include <cstdio>
#include <opencv2/dnn.hpp>

int main() {
  constexpr int kChannels = 4, kColumns = 64;
  cv::dnn::LayerParams layer;
  layer.name = "one";
  layer.type = "Convolution";
  const int kernel[] = {3, 3}, padding[] = {1, 1};
  layer.set("num_output", kChannels);
  layer.set("group", kChannels);
  layer.set("bias_term", false);
  layer.set("kernel_size", cv::dnn::DictValue::arrayInt(kernel, 2));
  layer.set("pad", cv::dnn::DictValue::arrayInt(padding, 2));
  const int taps[] = {kChannels, 1, 3, 3}, row[] = {1, kChannels, 1, kColumns};
  layer.blobs.push_back(cv::Mat(4, taps, CV_32F, cv::Scalar(1)));
  cv::dnn::Net net;
  net.connect(0, 0, net.addLayer(layer.name, layer.type, layer), 0);
  net.setInput(cv::Mat(4, row, CV_32F, cv::Scalar(1)));
  const cv::Mat result = net.forward();
  const float* got = result.ptr<float>();
  std::printf("64 ones, three of them added at a time: %g %g ... %g, must be 2 3 ... 2\n", got[0], got[1],
              got[kColumns - 1]);
  return got[0] == 2 && got[1] == 3 && got[kColumns - 1] == 2 ? 0 : 1;
}

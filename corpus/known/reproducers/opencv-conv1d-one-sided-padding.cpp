// SPDX-License-Identifier: Apache-2.0
// OpenCV pads the end of a convolution of rank 1 as much as its begin.
//     g++ opencv-conv1d-one-sided-padding.cpp -I/usr/include/opencv4 -lopencv_dnn -lopencv_core && ./a.out
// Exit code 0: right. 1: wrong.
#include <cstdio>
#include <opencv2/dnn.hpp>

// An ONNX model: y = Conv(x, w), x of 1x1x2, w = 1 1, kernel_shape = 2, pads = 1 0.
const char kModel[] =
    "\010\007:\203\001\0123\012\001x\012\001w\022\001y\042\004Conv*\023\012\014kernel_shape@\002"
    "\240\001\007*\015\012\004pads@\001@\000\240\001\007\022\003one*\025\010\001\010\001\010\002"
    "\020\001B\001wJ\010\000\000\200?\000\000\200?Z\027\012\001x\022\022\012\020\010\001\022\014"
    "\012\002\010\001\012\002\010\001\012\002\010\002b\027\012\001y\022\022\012\020\010\001\022\014"
    "\012\002\010\001\012\002\010\001\012\002\010\002B\002\020\015";

int main() {
  cv::dnn::Net net = cv::dnn::readNetFromONNX(kModel, sizeof kModel - 1);
  const int extents[] = {1, 1, 2};
  net.setInput(cv::Mat(3, extents, CV_32F, cv::Scalar(1)));
  const cv::Mat result = net.forward();
  std::printf("two numbers, one in front of them, two taps: %d outputs, must be 2\n", result.size[2]);
  return result.size[2] == 2 ? 0 : 1;
}

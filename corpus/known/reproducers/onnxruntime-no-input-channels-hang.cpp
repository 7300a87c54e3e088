// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime does not come back from a convolution over no input channels. An alarm ends it after 5 seconds.
//     g++ -std=c++17 onnxruntime-no-input-channels-hang.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <onnxruntime_cxx_api.h>
#include <unistd.h>

#include <cstdio>

// y = Conv(x, w), x of 1x0x3, w of 1x0x1, strides = 2.
const char kModel[] =
    "\10\7:W\12\37\12\1x\12\1w\22\1y\42\4Conv*\16\12\7strides@\2\240\1\7\22\1g*\15\10\1\10\0\10\1\20\1B\1wJ\0Z\27\12"
    "\1x\22\22\12\20\10\1\22\14\12\2\10\1\12\2\10\0\12\2\10\3b\11\12\1y\22\4\12\2\10\1B\2\20\15";

int main() {
  const Ort::Env environment;
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float nothing[1] = {};
  const int64_t extents[] = {1, 0, 3};
  const auto image = Ort::Value::CreateTensor<float>(memory, nothing, 0, extents, 3);
  alarm(5);
  const char *const input = "x", *const output = "y";
  const auto results = session.Run(Ort::RunOptions(), &input, &image, 1, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("two sums of nothing: %g %g, must be 0 0\n", got[0], got[1]);
  return got[0] == 0 && got[1] == 0 ? 0 : 1;
}

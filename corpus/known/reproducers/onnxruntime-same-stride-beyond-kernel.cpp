// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime pads by a negative number for SAME_UPPER where the stride is larger than the kernel.
//     g++ -std=c++17 onnxruntime-same-stride-beyond-kernel.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <onnxruntime_cxx_api.h>

#include <cstdio>

// y = Conv(x, w), x of 1x1x8, w = [[[1]]], strides = 4, auto_pad = SAME_UPPER.
const char kModel[] =
    "\10\7:v\12:\12\1x\12\1w\22\1y\42\4Conv*\16\12\7strides@\4\240\1\7*\31\12\10auto_pad\42\12SAME_UPPER\240\1\3\22\1"
    "g*\21\10\1\10\1\10\1\20\1B\1wJ\4\0\0\200?Z\27\12\1x\22\22\12\20\10\1\22\14\12\2\10\1\12\2\10\1\12\2\10\10b\11\12"
    "\1y\22\4\12\2\10\1B\2\20\15";

int main() {
  const Ort::Env environment;
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float x[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t extents[] = {1, 1, 8};
  const auto image = Ort::Value::CreateTensor<float>(memory, x, 8, extents, 3);
  const char *const input = "x", *const output = "y";
  const auto results = session.Run(Ort::RunOptions(), &input, &image, 1, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("each fourth of 0 1 2 3 4 5 6 7: %g %g, must be 0 4\n", got[0], got[1]);
  return got[0] == 0 && got[1] == 4 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime 1.21: ConvTranspose of rank 2 is wrong where output padding is not below the stride.
//     g++ -std=c++17 onnxruntime-output-padding-wrong.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <onnxruntime_cxx_api.h>

#include <cstdio>

// y = ConvTranspose(x, w), x of 1x1x2x2, w = [[[[1]]]], dilations = 2 2, output_padding = 0 1.
const char kModel[] =
    "\10\7:\207\1\12E\12\1x\12\1w\22\1y\42\15ConvTranspose*\22\12\11dilations@\2@\2\240\1\7*\27\12\16output_padding@"
    "\0@\1\240\1\7\22\1g*\23\10\1\10\1\10\1\10\1\20\1B\1wJ\4\0\0\200?Z\33\12\1x\22\26\12\24\10\1\22\20\12\2\10\1\12\2"
    "\10\1\12\2\10\2\12\2\10\2b\11\12\1y\22\4\12\2\10\1B\2\20\15";

int main() {
  const Ort::Env environment;
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float x[] = {1, 2, 3, 4};
  const int64_t extents[] = {1, 1, 2, 2};
  const auto image = Ort::Value::CreateTensor<float>(memory, x, 4, extents, 4);
  const char *const input = "x", *const output = "y";
  const auto results = session.Run(Ort::RunOptions(), &input, &image, 1, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("got %g %g %g and %g %g %g, must be 1 2 0 and 3 4 0\n", got[0], got[1], got[2], got[3], got[4], got[5]);
  return got[0] == 1 && got[1] == 2 && got[2] == 0 && got[3] == 3 && got[4] == 4 && got[5] == 0 ? 0 : 1;
}

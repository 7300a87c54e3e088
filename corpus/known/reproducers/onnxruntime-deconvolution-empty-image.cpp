// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime: ConvTranspose of an image without positions is a segmentation fault in rank 1 and 3.
//     g++ -std=c++17 onnxruntime-deconvolution-empty-image.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <onnxruntime_cxx_api.h>

#include <cstdio>

// y = ConvTranspose(x, w), x of 1x1x0, w of 1x1x3.
const char kModel[] =
    "\10\7:\134\12\30\12\1x\12\1w\22\1y\42\15ConvTranspose\22\1g*\31\10\1\10\1\10\3\20\1B\1wJ\14\0\0\200?\0\0\0@\0\0@"
    "@Z\27\12\1x\22\22\12\20\10\1\22\14\12\2\10\1\12\2\10\1\12\2\10\0b\11\12\1y\22\4\12\2\10\1B\2\20\15";

int main() {
  const Ort::Env environment;
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float nothing[1] = {};
  const int64_t extents[] = {1, 1, 0};
  const auto image = Ort::Value::CreateTensor<float>(memory, nothing, 0, extents, 3);
  const char *const input = "x", *const output = "y";
  const auto results = session.Run(Ort::RunOptions(), &input, &image, 1, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("an image without positions, of which a window of 3 makes 2: %g %g, must be 0 0\n", got[0], got[1]);
  return got[0] == 0 && got[1] == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime: ConvTranspose of an image without positions is a segmentation fault in rank 1 and 3.
//     g++ -std=c++17 onnxruntime-deconvolution-empty-image.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <onnxruntime_cxx_api.h>

#include <cstdio>

// y = ConvTranspose(x, w), x of 1x1x0, w of 1x1x3.
const char kModel[] =
    "\010\007:\134\012\030\012\001x\012\001w\022\001y\042\015ConvTranspose\022\003oneZ"
    "\027\012\001x\022\022\012\020\010\001\022\014\012\002\010\001\012\002\010\001\012\002\010"
    "\000Z\027\012\001w\022\022\012\020\010\001\022\014\012\002\010\001\012\002\010\001\012\002"
    "\010\003b\011\012\001y\022\004\012\002\010\001B\002\020\015";

int main() {
  const Ort::Env environment(ORT_LOGGING_LEVEL_FATAL, "one");
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float nothing[1] = {}, w[] = {1, 2, 3};
  const int64_t image[] = {1, 1, 0}, taps[] = {1, 1, 3};
  Ort::Value inputs[] = {Ort::Value::CreateTensor<float>(memory, nothing, 0, image, 3),
                         Ort::Value::CreateTensor<float>(memory, w, 3, taps, 3)};
  const char* const names[] = {"x", "w"};
  const char* const output = "y";
  std::printf("an image without positions, of which a window of 3 makes 2:\n");
  std::fflush(stdout);
  const auto results = session.Run(Ort::RunOptions(nullptr), names, inputs, 2, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("%g %g, must be 0 0\n", got[0], got[1]);
  return got[0] == 0 && got[1] == 0 ? 0 : 1;
}

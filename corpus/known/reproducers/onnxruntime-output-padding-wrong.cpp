// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime 1.21: ConvTranspose of rank 2 is wrong where output padding is not below the stride, but below the
// dilation.
//     g++ -std=c++17 onnxruntime-output-padding-wrong.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or an error.
#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <cstdio>

// y = ConvTranspose(x, w), x of 1x1x2x2, w of 1x1x1x1, dilations = 2 2, output_padding = 0 1.
const char kModel[] =
    "\010\007:\221\001\012E\012\001x\012\001w\022\001y\042\015ConvTranspose*\022\012\011dilations"
    "@\002@\002\240\001\007*\027\012\016output_padding@\000@\001\240\001\007\022\003oneZ\033\012"
    "\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\001\012\002\010\002\012"
    "\002\010\002Z\033\012\001w\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\001"
    "\012\002\010\001\012\002\010\001b\011\012\001y\022\004\012\002\010\001B\002\020\015";

int main() {
  const Ort::Env environment(ORT_LOGGING_LEVEL_FATAL, "one");
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float x[] = {1, 2, 3, 4}, w[] = {1};
  const int64_t image[] = {1, 1, 2, 2}, tap[] = {1, 1, 1, 1};
  Ort::Value inputs[] = {Ort::Value::CreateTensor<float>(memory, x, 4, image, 4),
                         Ort::Value::CreateTensor<float>(memory, w, 1, tap, 4)};
  const char* const names[] = {"x", "w"};
  const char* const output = "y";
  const auto results = session.Run(Ort::RunOptions(nullptr), names, inputs, 2, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("1 2 and 3 4, each with one position of output padding: %g %g %g and %g %g %g, must be 1 2 0 and 3 4 0\n",
              got[0], got[1], got[2], got[3], got[4], got[5]);
  constexpr float kRight[] = {1, 2, 0, 3, 4, 0};
  return std::equal(got, got + 6, kRight) ? 0 : 1;
}

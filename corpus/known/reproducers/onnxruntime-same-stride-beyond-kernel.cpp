// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime pads by a negative number for SAME_UPPER where the stride is larger than the kernel.
//     g++ -std=c++17 onnxruntime-same-stride-beyond-kernel.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong.
#include <onnxruntime_cxx_api.h>

#include <cstdio>

// y = Conv(x, w), x of 1x1x1x8, w of 1x1x1x1, kernel_shape = 1 1, strides = 1 4, auto_pad = SAME_UPPER.
const char kModel[] =
    "\010\007:\237\001\012S\012\001x\012\001w\022\001y\042\004Conv*\025\012\014kernel_shape@\001"
    "@\001\240\001\007*\020\012\007strides@\001@\004\240\001\007*\031\012\010auto_pad\042\012SAM"
    "E_UPPER\240\001\003\022\003oneZ\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001"
    "\012\002\010\001\012\002\010\001\012\002\010\010Z\033\012\001w\022\026\012\024\010\001\022\020"
    "\012\002\010\001\012\002\010\001\012\002\010\001\012\002\010\001b\011\012\001y\022\004\012\002"
    "\010\001B\002\020\015";

int main() {
  const Ort::Env environment(ORT_LOGGING_LEVEL_FATAL, "one");
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float x[] = {0, 1, 2, 3, 4, 5, 6, 7}, w[] = {1};
  const int64_t image[] = {1, 1, 1, 8}, tap[] = {1, 1, 1, 1};
  Ort::Value inputs[] = {Ort::Value::CreateTensor<float>(memory, x, 8, image, 4),
                         Ort::Value::CreateTensor<float>(memory, w, 1, tap, 4)};
  const char* const names[] = {"x", "w"};
  const char* const output = "y";
  const auto results = session.Run(Ort::RunOptions(nullptr), names, inputs, 2, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("each fourth of 0 1 2 3 4 5 6 7: %g %g, must be 0 4\n", got[0], got[1]);
  return got[0] == 0 && got[1] == 4 ? 0 : 1;
}

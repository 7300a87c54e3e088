// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime does not come back from a convolution over no input channels. An alarm ends it after 5 seconds.
//     g++ -std=c++17 onnxruntime-no-input-channels-hang.cpp -I/usr/include/onnxruntime -lonnxruntime && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <onnxruntime_cxx_api.h>
#include <unistd.h>

#include <cstdio>

// y = Conv(x, w), x of 1x0x3, w of 1x0x1, strides = 2.
const char kModel[] =
    "\010\007:c\012\037\012\001x\012\001w\022\001y\042\004Conv*\016\012\007strides@\002"
    "\240\001\007\022\003oneZ\027\012\001x\022\022\012\020\010\001\022\014\012\002\010\001\012"
    "\002\010\000\012\002\010\003Z\027\012\001w\022\022\012\020\010\001\022\014\012\002\010\001"
    "\012\002\010\000\012\002\010\001b\011\012\001y\022\004\012\002\010\001B\002\020\015";

int main() {
  const Ort::Env environment(ORT_LOGGING_LEVEL_FATAL, "one");
  Ort::Session session(environment, kModel, sizeof kModel - 1, Ort::SessionOptions());
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  float nothing[1] = {};
  const int64_t image[] = {1, 0, 3}, taps[] = {1, 0, 1};
  Ort::Value inputs[] = {Ort::Value::CreateTensor<float>(memory, nothing, 0, image, 3),
                         Ort::Value::CreateTensor<float>(memory, nothing, 0, taps, 3)};
  const char* const names[] = {"x", "w"};
  const char* const output = "y";
  std::printf("two sums of nothing, which take no time:\n");
  std::fflush(stdout);
  alarm(5);
  const auto results = session.Run(Ort::RunOptions(nullptr), names, inputs, 2, &output, 1);
  const float* got = results[0].GetTensorData<float>();
  std::printf("%g %g, must be 0 0\n", got[0], got[1]);
  return got[0] == 0 && got[1] == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// XNNPACK makes minus infinity of NaN, although the range of the output is from minus to plus infinity.
//     g++ xnnpack-nan.cpp -lXNNPACK -lpthreadpool && ./a.out
// Exit code 0: right. 1: wrong.
#include <xnnpack.h>

#include <cmath>
#include <cstdio>
#include <limits>

int main() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  xnn_initialize(nullptr);
  float src[64] = {NAN}, wei[64] = {1}, dst[64] = {};
  xnn_operator_t op = nullptr;
  if (xnn_create_convolution2d_nhwc_f32(0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, wei, nullptr, -kInfinity,
                                        kInfinity, 0, &op) != xnn_status_success)
    return std::printf("refused\n"), 0;
  xnn_setup_convolution2d_nhwc_f32(op, 1, 1, 1, src, dst, nullptr);
  xnn_run_operator(op, nullptr);
  std::printf("NaN times 1 is %g, must be nan\n", dst[0]);
  return std::isnan(dst[0]) ? 0 : 1;
}

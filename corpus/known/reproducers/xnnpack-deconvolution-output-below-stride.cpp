// SPDX-License-Identifier: Apache-2.0
// XNNPACK's deconvolution reads memory that is not its own where the output is smaller than the stride.
//     g++ xnnpack-deconvolution-output-below-stride.cpp -lXNNPACK -lpthreadpool && ./a.out
// Exit code 0: right. 1: wrong, or a signal.
#include <xnnpack.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  constexpr size_t kChannels = 12;
  xnn_initialize(nullptr);
  std::vector<float> src(1 + XNN_EXTRA_BYTES, 1), wei(kChannels * 6 * 3 + XNN_EXTRA_BYTES, 1), dst(kChannels * 4, -1);
  xnn_operator_t op = nullptr;
  // Padding 1 on all sides, kernel 6x3, stride 1x3: one pixel becomes 4x1, and 1 < 3.
  xnn_status status = xnn_create_deconvolution2d_nhwc_f32(1, 1, 1, 1, 6, 3, 1, 3, 1, 1, 1, 1, kChannels, 1, kChannels,
                                                          wei.data(), nullptr, -INFINITY, INFINITY, 0, &op);
  if (status != xnn_status_success) return 0;  // it refuses
  xnn_setup_deconvolution2d_nhwc_f32(op, 1, 1, 1, 0, 0, src.data(), dst.data(), nullptr);
  xnn_run_operator(op, nullptr);
  int wrong = 0;
  for (const float value : dst) wrong += value != 1;
  std::printf("%d of %zu elements are wrong\n", wrong, dst.size());
  return wrong == 0 ? 0 : 1;
}

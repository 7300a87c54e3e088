// SPDX-License-Identifier: Apache-2.0
// ggml computes a convolution of f32 in f16.
//     g++ ggml-image-in-f16.cpp -L$GGML -lggml-base -lggml-cpu-x64 -Wl,-rpath,$GGML && ./a.out
// Exit code 0: right. 1: wrong, or a signal. $GGML is the folder of its libraries.
#include <ggml-cpu.h>
#include <ggml.h>

#include <cstdio>

int main() {
  ggml_cpu_init();
  ggml_context* context = ggml_init({64 << 20, nullptr, false});
  ggml_tensor* wei = ggml_new_tensor_4d(context, GGML_TYPE_F32, 1, 1, 1, 1);
  ggml_tensor* src = ggml_new_tensor_4d(context, GGML_TYPE_F32, 2, 1, 1, 1);
  ggml_get_data_f32(wei)[0] = 1;
  ggml_get_data_f32(src)[0] = 1.0009f;
  ggml_get_data_f32(src)[1] = 70000;
  ggml_tensor* dst = ggml_conv_2d(context, wei, src, 1, 1, 0, 0, 1, 1);
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, dst);
  ggml_graph_compute_with_ctx(context, graph, 1);
  const float* got = ggml_get_data_f32(dst);
  std::printf("1.0009 and 70000, each times 1: %.9g and %g\n", got[0], got[1]);
  return got[0] == 1.0009f && got[1] == 70000 ? 0 : 1;
}

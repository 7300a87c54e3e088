// SPDX-License-Identifier: Apache-2.0
// ggml_conv_1d mixes up batch and channels.
//     g++ ggml-conv1d-batch.cpp -L$GGML -lggml-base -lggml-cpu-x64 -Wl,-rpath,$GGML && ./a.out
// Exit code 0: right. 1: wrong, or a signal. $GGML is the folder of its libraries.
#include <ggml-cpu.h>
#include <ggml.h>

#include <cstdio>

int main() {
  ggml_cpu_init();
  ggml_context* context = ggml_init({64 << 20, nullptr, false});
  ggml_tensor* wei = ggml_new_tensor_3d(context, GGML_TYPE_F32, 1, 1, 2);  // one tap, two channels of output
  ggml_tensor* src = ggml_new_tensor_3d(context, GGML_TYPE_F32, 1, 1, 2);  // two images of one number
  ggml_get_data_f32(wei)[0] = 1;
  ggml_get_data_f32(wei)[1] = 10;
  ggml_get_data_f32(src)[0] = 1;
  ggml_get_data_f32(src)[1] = 2;
  ggml_tensor* dst = ggml_conv_1d(context, wei, src, 1, 0, 1);
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, dst);
  ggml_graph_compute_with_ctx(context, graph, 1);
  const float* got = ggml_get_data_f32(dst);
  std::printf("image by image: %g %g, %g %g, must be 1 10, 2 20\n", got[0], got[1], got[2], got[3]);
  return got[0] == 1 && got[1] == 10 && got[2] == 2 && got[3] == 20 ? 0 : 1;
}

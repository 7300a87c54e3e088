// SPDX-License-Identifier: Apache-2.0
// ggml_conv_1d_dw aborts for more than one image.
//     g++ ggml-conv1d-depthwise-batch.cpp -L$GGML -lggml-base -lggml-cpu-x64 -Wl,-rpath,$GGML && ./a.out
// Exit code 0: right. 1: wrong, or a signal. $GGML is the folder of its libraries, which have no header.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

extern "C" {
struct Context;
struct Graph;
struct Tensor;
struct InitParams {
  size_t size;
  void* memory;
  bool no_alloc;
};
Context* ggml_init(InitParams);
void ggml_cpu_init(void);
Tensor* ggml_new_tensor(Context*, int type, int dims, const int64_t* extents);
void* ggml_get_data(const Tensor*);
Graph* ggml_new_graph(Context*);
void ggml_build_forward_expand(Graph*, Tensor*);
int ggml_graph_compute_with_ctx(Context*, Graph*, int threads);
Tensor* ggml_conv_1d_dw(Context*, Tensor* kernel, Tensor* image, int stride, int padding, int dilation);
}

Tensor* tensor(Context* context, std::initializer_list<int64_t> extents, std::initializer_list<float> values) {
  Tensor* made = ggml_new_tensor(context, 0 /* f32 */, 4, extents.begin());
  auto* data = static_cast<float*>(ggml_get_data(made));
  for (const float value : values) *data++ = value;
  return made;
}

Tensor* compute(Context* context, Tensor* result) {
  Graph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, result);
  ggml_graph_compute_with_ctx(context, graph, 1);
  return result;
}

int main() {
  ggml_cpu_init();
  Context* context = ggml_init({64 << 20, nullptr, false});
  Tensor* wei = tensor(context, {1, 1, 2, 1}, {1, 10});       // one tap, two channels
  Tensor* src = tensor(context, {1, 2, 2, 1}, {1, 2, 3, 4});  // two images of two channels
  Tensor* dst = compute(context, ggml_conv_1d_dw(context, wei, src, 1, 0, 1));
  const float* got = static_cast<float*>(ggml_get_data(dst));
  std::printf("%g %g, %g %g, must be 1 20, 3 40\n", got[0], got[1], got[2], got[3]);
  return got[0] == 1 && got[1] == 20 && got[2] == 3 && got[3] == 40 ? 0 : 1;
}

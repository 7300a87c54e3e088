// SPDX-License-Identifier: Apache-2.0
// ggml computes a convolution of f32 in f16.
//     g++ ggml-image-in-f16.cpp -L$GGML -lggml-base -lggml-cpu-x64 -Wl,-rpath,$GGML && ./a.out
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
Tensor* ggml_conv_2d(Context*, Tensor* kernel, Tensor* image, int s0, int s1, int p0, int p1, int d0, int d1);
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
  Tensor* wei = tensor(context, {1, 1, 1, 1}, {1});
  Tensor* src = tensor(context, {2, 1, 1, 1}, {1.0009f, 70000});
  Tensor* dst = compute(context, ggml_conv_2d(context, wei, src, 1, 1, 0, 0, 1, 1));
  const float* got = static_cast<float*>(ggml_get_data(dst));
  std::printf("1.0009 and 70000, each times 1: %.9g and %g\n", got[0], got[1]);
  return got[0] == 1.0009f && got[1] == 70000 ? 0 : 1;
}

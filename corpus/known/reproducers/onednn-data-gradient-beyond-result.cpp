// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6, f32 in nwc, with AVX-512: the data gradient of one channel from 560 reads beyond its result of five
// numbers, which lie at the end of a page here. The next page may not be touched.
//     g++ -std=c++17 onednn-data-gradient-beyond-result.cpp -ldnnl && ./a.out    dies while the fault is there
#include <sys/mman.h>

#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto f32 = memory::data_type::f32;
  memory::desc x({1, 1, 5}, f32, memory::format_tag::nwc), y({1, 560, 3}, f32, memory::format_tag::nwc);
  memory::desc w({560, 1, 3}, f32, memory::format_tag::any);
  convolution_forward::primitive_desc forward(
      {prop_kind::forward, algorithm::convolution_direct, x, w, y, {1}, {0}, {0}}, cpu);
  convolution_backward_data::primitive_desc pd({algorithm::convolution_direct, x, w, y, {1}, {0}, {0}}, cpu, forward);
  void* pages = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  float* next = static_cast<float*>(pages) + 1024;
  mprotect(next, 4096, PROT_NONE);
  memory src(x, cpu, next - 5), wei(pd.weights_desc(), cpu), dst(y, cpu);
  convolution_backward_data(pd).execute(
      s, {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DIFF_SRC, src}});
  s.wait();
}

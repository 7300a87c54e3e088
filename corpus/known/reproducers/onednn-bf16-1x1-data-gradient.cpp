// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6, bf16: the data gradient of a 1x1 kernel with one output channel multiplies by what lies behind a pixel.
// Here all gradients of the result are 2, and the weight is 1.
//     g++ -std=c++17 onednn-bf16-1x1-data-gradient.cpp -ldnnl && ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 ./a.out
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto bf16 = memory::data_type::bf16;
  memory::desc x({1, 1, 30}, bf16, memory::format_tag::nwc), w({1, 1, 1}, bf16, memory::format_tag::any);
  convolution_forward::primitive_desc forward(
      {prop_kind::forward, algorithm::convolution_direct, x, w, x, {1}, {0}, {0}}, cpu);
  convolution_backward_data::primitive_desc pd({algorithm::convolution_direct, x, w, x, {1}, {0}, {0}}, cpu, forward);
  std::vector<uint16_t> one(1, 0x3f80), diff_dst(30, 0x4000), diff_src(30);  // bf16: 1 and 2
  memory src(x, cpu, diff_src.data()), wei(pd.weights_desc(), cpu), dst(x, cpu, diff_dst.data());
  memory plain({{1, 1, 1}, bf16, memory::format_tag::oiw}, cpu, one.data());
  reorder(plain, wei).execute(s, plain, wei);
  convolution_backward_data(pd).execute(
      s, {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DIFF_SRC, src}});
  s.wait();
  std::printf("%s: 0x%x, must be 0x4000\n", pd.impl_info_str(), diff_src[0]);
  return diff_src[0] != 0x4000;
}

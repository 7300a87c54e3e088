// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6, s8: 1 * 1 is added to 101, whose zero point is 100. That is 1 + (101 - 100), but the weights become 0.
//     g++ -std=c++17 onednn-integers-sum-with-zero-point.cpp -ldnnl && ONEDNN_MAX_CPU_ISA=AVX512_CORE ./a.out
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto s8 = memory::data_type::s8;
  memory::desc x({1, 1, 1}, s8, memory::format_tag::nwc), w({1, 1, 2}, s8, memory::format_tag::any);
  post_ops sum;
  sum.append_sum(1, 100);
  primitive_attr attributes;
  attributes.set_post_ops(sum);
  deconvolution_forward::primitive_desc pd(
      {prop_kind::forward, algorithm::deconvolution_direct, x, w, x, {1}, {0}, {1}}, attributes, cpu);
  int8_t ones[] = {1, 1}, y = 101;
  memory src(x, cpu, ones), wei(pd.weights_desc(), cpu), plain({{1, 1, 2}, s8, memory::format_tag::oiw}, cpu, ones);
  reorder(plain, wei).execute(s, plain, wei);
  deconvolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, {x, cpu, &y}}});
  s.wait();
  std::printf("%s: %d, must be 2\n", pd.impl_info_str(), y);
  return y != 2;
}

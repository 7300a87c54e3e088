// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6, AVX-512: a row that sees padding alone is added to what the result held, 10, and loses the bias, 1.
//     g++ -std=c++17 onednn-sum-of-idle-rows.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto f32 = memory::data_type::f32;
  memory::desc src({1, 1, 1, 1}, f32, memory::format_tag::nhwc), dst({1, 1, 2, 1}, f32, memory::format_tag::nhwc);
  memory::desc wei({1, 1, 1, 1}, f32, memory::format_tag::any), bias({1}, f32, memory::format_tag::x);
  post_ops sum;
  sum.append_sum();
  primitive_attr attributes;
  attributes.set_post_ops(sum);
  convolution_forward::primitive_desc pd({prop_kind::forward, algorithm::convolution_direct, src, wei, bias, dst,
                                          {1, 1}, {1, 0}, {0, 0}}, attributes, cpu);
  float one[16] = {1}, result[] = {10, 10};  // the weights get 16 channels
  memory x(src, cpu, one), w(pd.weights_desc(), cpu, one), b(bias, cpu, one), y(dst, cpu, result);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_BIAS, b}, {DNNL_ARG_DST, y}});
  s.wait();
  std::printf("%s: %g, must be 11; %g, must be 12\n", pd.impl_info_str(), result[0], result[1]);
  return result[0] != 11 || result[1] != 12;
}

// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7 to 3.13, integers: with one input channel, a channels-first destination is taken for a channels-last one.
// Here two output channels of two positions are 1, and the last of the four numbers is never written.
//     g++ -std=c++17 onednn-integers-one-channel.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({1, 1, 2}, memory::data_type::u8, memory::format_tag::ncw);
  memory::desc w({2, 1, 1}, memory::data_type::s8, memory::format_tag::oiw);
  memory::desc y({1, 2, 2}, memory::data_type::f32, memory::format_tag::ncw);
  convolution_forward::primitive_desc pd(cpu, prop_kind::forward, algorithm::convolution_auto, x, w, y, {1}, {0}, {0});
  int8_t ones[] = {1, 1};
  float result[] = {-1, -1, -1, -1};
  memory src(x, cpu, ones), wei(w, cpu, ones), dst(y, cpu, result);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %g %g %g %g, must be 1 1 1 1\n", pd.impl_info_str(), result[0], result[1], result[2], result[3]);
  return result[3] != 1;
}

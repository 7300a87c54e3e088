// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6, integers, with AVX-512 VNNI: conv3d of two groups of one channel, with four filters of 2x2x2 taps in each
// group. All numbers are 1, so that each of the eight results is 8; 128 times the weights are left over.
//     g++ -std=c++17 onednn-integers-grouped-conv3d.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({1, 2, 2, 2, 2}, memory::data_type::s8, memory::format_tag::ndhwc);
  memory::desc w({2, 4, 1, 2, 2, 2}, memory::data_type::s8, memory::format_tag::any);
  memory::desc y({1, 8, 1, 1, 1}, memory::data_type::f32, memory::format_tag::ndhwc);
  convolution_forward::primitive_desc pd(
      {prop_kind::forward, algorithm::convolution_direct, x, w, y, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}}, cpu);
  std::vector<int8_t> ones(64, 1);
  std::vector<float> result(8);
  memory src(x, cpu, ones.data()), wei(pd.weights_desc(), cpu), dst(y, cpu, result.data());
  memory plain({{2, 4, 1, 2, 2, 2}, memory::data_type::s8, memory::format_tag::goidhw}, cpu, ones.data());
  reorder(plain, wei).execute(s, plain, wei);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %g, must be 8\n", pd.impl_info_str(), result[0]);
  return result[0] != 8;
}

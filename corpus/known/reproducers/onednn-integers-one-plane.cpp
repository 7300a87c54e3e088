// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7, integers: an image of one plane, with a plane of padding before it, and a kernel of two planes. All
// numbers are 1, the second plane of the kernel meets the image, and the sums of the two outputs are 2.
//     g++ -std=c++17 onednn-integers-one-plane.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({1, 1, 1, 1, 3}, memory::data_type::u8, memory::format_tag::ndhwc);
  memory::desc w({1, 1, 2, 1, 2}, memory::data_type::s8, memory::format_tag::any);
  memory::desc y({1, 1, 1, 1, 2}, memory::data_type::u8, memory::format_tag::ndhwc);
  convolution_forward::primitive_desc pd(cpu, prop_kind::forward, algorithm::convolution_direct, x, w, y, {1, 1, 1},
                                         {1, 0, 0}, {0, 0, 0});
  int8_t ones[] = {1, 1, 1, 1}, result[2];
  memory src(x, cpu, ones), wei(pd.weights_desc(), cpu), dst(y, cpu, result);
  memory plain({{1, 1, 2, 1, 2}, memory::data_type::s8, memory::format_tag::oidhw}, cpu, ones);
  reorder(plain, wei).execute(s, plain, wei);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %d and %d, must be 2 and 2\n", pd.impl_info_str(), result[0], result[1]);
  return result[0] != 2 || result[1] != 2;
}

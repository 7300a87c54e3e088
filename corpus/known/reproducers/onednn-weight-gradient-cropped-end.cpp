// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6 to 3.13, AVX2: a weight gradient takes the row behind a result of one row as well, where that row begins
// in the padding, and padding at the end is negative. The row, 1, sees padding and 1; behind it is 100.
//     g++ -std=c++17 onednn-weight-gradient-cropped-end.cpp -ldnnl && ONEDNN_MAX_CPU_ISA=AVX2 ./a.out
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto f32 = memory::data_type::f32;
  memory::desc x({1, 1, 3, 1}, f32, memory::format_tag::nhwc), y({1, 1, 1, 1}, f32, memory::format_tag::nhwc);
  memory::desc w({1, 1, 2, 1}, f32, memory::format_tag::any);
  const auto direct = algorithm::convolution_direct;
  convolution_forward::primitive_desc forward(cpu, prop_kind::forward, direct, x, w, y, {2, 1}, {1, 0}, {-1, 0});
  convolution_backward_weights::primitive_desc pd(cpu, direct, x, w, y, {2, 1}, {1, 0}, {-1, 0}, forward);
  float image[] = {1, 2, 3}, gradient[] = {1, 100}, found[128];  // oneDNN wants 8 x 8 channels
  memory src(x, cpu, image), dst(y, cpu, gradient), wei(pd.diff_weights_desc(), cpu, found);
  convolution_backward_weights(pd).execute(
      s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei}, {DNNL_ARG_DIFF_DST, dst}});
  s.wait();
  std::printf("%s: %g, must be 0\n", pd.impl_info_str(), found[0]);
  return found[0] != 0;
}

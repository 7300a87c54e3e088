// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7, f32: one input channel, an output of one column, columns that are strided. Rows of the output after the
// first are wrong. The row that is padded in front makes two of them; both kernel rows see the numbers 1 and 2.
//     g++ -std=c++17 onednn-one-column-strided.cpp -ldnnl && OMP_NUM_THREADS=1 ./a.out    exit code 1 while it is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto f32 = memory::data_type::f32;
  memory::desc x({1, 1, 1, 2}, f32, memory::format_tag::nchw), y({1, 1, 2, 1}, f32, memory::format_tag::nchw);
  memory::desc w({1, 1, 2, 2}, f32, memory::format_tag::any);
  convolution_forward::primitive_desc pd(cpu, prop_kind::forward, algorithm::convolution_direct, x, w, y, {1, 3},
                                         {1, 0}, {1, 0});
  float image[] = {1, 2}, kernel[] = {1, 1, 1, 1}, result[2];
  memory src(x, cpu, image), dst(y, cpu, result), wei(pd.weights_desc(), cpu);
  memory plain({{1, 1, 2, 2}, f32, memory::format_tag::oihw}, cpu, kernel);
  reorder(plain, wei).execute(s, plain, wei);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %g, must be 3; %g, must be 3\n", pd.impl_info_str(), result[0], result[1]);
  return result[0] != 3 || result[1] != 3;
}

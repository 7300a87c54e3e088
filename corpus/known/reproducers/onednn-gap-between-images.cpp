// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7 to 3.13: gradients ignore a gap between the images. Here two images of one number, 1, lie four numbers
// apart, and the gradient of the weight is 1 + 1. It is 1 + what lies behind the first image, 100.
//     g++ -std=c++17 onednn-gap-between-images.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({2, 1, 1}, memory::data_type::f32, memory::dims{4, 1, 1});
  memory::desc w({1, 1, 1}, memory::data_type::f32, memory::format_tag::oiw);
  memory::desc y({2, 1, 1}, memory::data_type::f32, memory::format_tag::ncw);
  const auto direct = algorithm::convolution_direct;
  convolution_forward::primitive_desc forward(cpu, prop_kind::forward, direct, x, w, y, {1}, {0}, {0});
  convolution_backward_weights::primitive_desc pd(cpu, direct, x, w, y, {1}, {0}, {0}, forward);
  float images[] = {1, 100, 100, 100, 1}, ones[] = {1, 1}, gradient;
  memory src(x, cpu, images), wei(w, cpu, &gradient), dst(y, cpu, ones);
  convolution_backward_weights(pd).execute(
      s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei}, {DNNL_ARG_DIFF_DST, dst}});
  s.wait();
  std::printf("%s: %g, must be 2\n", pd.impl_info_str(), gradient);
  return gradient != 2;
}

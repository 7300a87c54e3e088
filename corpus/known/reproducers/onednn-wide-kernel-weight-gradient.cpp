// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6 to 3.13, f32, AVX-512: the weight gradient of an image of 32 rows and 14 columns and a kernel as large.
// The gradient of the result is one number, 1: that of the weights is the image, whose numbers are 0 to 447.
//     g++ -std=c++17 onednn-wide-kernel-weight-gradient.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({1, 1, 32, 14}, memory::data_type::f32, memory::format_tag::any);  // and of the kernel
  memory::desc y({1, 1, 1, 1}, memory::data_type::f32, memory::format_tag::any);
  const auto direct = algorithm::convolution_direct;
  convolution_forward::primitive_desc forward(cpu, prop_kind::forward, direct, x, x, y, {1, 1}, {0, 0}, {0, 0});
  convolution_backward_weights::primitive_desc pd(cpu, direct, x, x, y, {1, 1}, {0, 0}, {0, 0}, forward);
  float image[448], one[16] = {1}, gradient[448 * 16];  // oneDNN wants 16 channels
  for (int i = 0; i < 448; ++i) image[i] = i;
  memory src(pd.src_desc(), cpu, image), dst(pd.diff_dst_desc(), cpu, one), wei(pd.diff_weights_desc(), cpu, gradient);
  convolution_backward_weights(pd).execute(
      s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_WEIGHTS, wei}});
  s.wait();
  std::printf("%s: the first is %g, must be 0\n", pd.impl_info_str(), gradient[0]);
  return gradient[0] != 0;
}

// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7 to 3.13, bf16: two groups, two dilated rows of the kernel. All numbers are 1, all weight gradients 30.
//     g++ -std=c++17 onednn-bf16-grouped-dilated-weight-gradient.cpp -ldnnl && ./a.out    exit code 1 while it is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto bf16 = memory::data_type::bf16, f32 = memory::data_type::f32;
  memory::desc src({1, 2, 3, 31}, bf16, memory::format_tag::nhwc), dst({1, 2, 1, 30}, bf16, memory::format_tag::nhwc);
  memory::desc wei({2, 1, 1, 2, 2}, bf16, memory::format_tag::any), to({2, 1, 1, 2, 2}, f32, memory::format_tag::goihw);
  const memory::dims one = {1, 1}, none = {0, 0}, gap = {1, 0};
  const auto direct = algorithm::convolution_direct;
  convolution_forward::primitive_desc forward(cpu, prop_kind::forward, direct, src, wei, dst, one, gap, none, none);
  convolution_backward_weights::primitive_desc pd(cpu, direct, src, wei, dst, one, gap, none, none, forward);
  std::vector<uint16_t> ones(2 * 3 * 31, 0x3f80);  // in bf16
  memory x(src, cpu, ones.data()), y(dst, cpu, ones.data()), w(pd.diff_weights_desc(), cpu), plain(to, cpu);
  convolution_backward_weights(pd).execute(s, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_WEIGHTS, w}, {DNNL_ARG_DIFF_DST, y}});
  reorder(w, plain).execute(s, w, plain);
  s.wait();
  const float last = static_cast<float*>(plain.get_data_handle())[7];
  std::printf("%s: the last is %g, must be 30\n", pd.impl_info_str(), last);
  return last != 30;
}

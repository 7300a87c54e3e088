// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7 to 3.13, bf16, AMX: a convolution of 8 channels with a kernel of 8 columns multiplies taps by pixels of
// others. In channel 0 pixel 7 is 1, and so is tap 7; all other numbers are 0.
//     g++ -std=c++17 onednn-amx-few-channels.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto bf16 = memory::data_type::bf16, f32 = memory::data_type::f32;
  memory::desc x({1, 8, 15}, bf16, memory::format_tag::nwc), y({1, 1, 8}, f32, memory::format_tag::nwc);
  memory::desc w({1, 8, 8}, bf16, memory::format_tag::any);
  convolution_forward::primitive_desc pd(cpu, prop_kind::forward, algorithm::convolution_auto, x, w, y, {1}, {0}, {0});
  uint16_t image[120] = {}, taps[64] = {};
  image[7 * 8] = taps[7] = 0x3f80;  // in bf16
  float result[8];
  memory src(x, cpu, image), wei(pd.weights_desc(), cpu), dst(y, cpu, result);
  memory plain({{1, 8, 8}, bf16, memory::format_tag::oiw}, cpu, taps);
  reorder(plain, wei).execute(s, plain, wei);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %g, must be 1\n", pd.impl_info_str(), result[0]);
  return result[0] != 1;
}

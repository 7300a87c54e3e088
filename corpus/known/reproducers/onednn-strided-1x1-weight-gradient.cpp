// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6 to 3.13: the weight gradient of a 1x1 kernel with stride 2 writes beyond the scratchpad that it asks for.
//     g++ -std=c++17 onednn-strided-1x1-weight-gradient.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto f32 = memory::data_type::f32;
  memory::desc x({1, 1, 4096}, f32, memory::format_tag::nwc), y({1, 1, 2048}, f32, memory::format_tag::nwc);
  memory::desc w({1, 1, 1}, f32, memory::format_tag::any);
  primitive_attr attr;
  attr.set_scratchpad_mode(scratchpad_mode::user);
  convolution_forward::primitive_desc fwd(cpu, prop_kind::forward, algorithm::convolution_auto, x, w, y, {2}, {0}, {0});
  convolution_backward_weights::primitive_desc pd(cpu, algorithm::convolution_auto, x, w, y, {2}, {0}, {0}, fwd, attr);
  std::vector<float> pad(1 << 20, -1);
  memory src(x, cpu), dst(y, cpu), wei(pd.diff_weights_desc(), cpu), scratch(pd.scratchpad_desc(), cpu, pad.data());
  convolution_backward_weights(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei},
                                               {DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_SCRATCHPAD, scratch}});
  s.wait();
  while (pad.back() == -1) pad.pop_back();  // what was not written
  std::printf("asked for %zu bytes, wrote up to byte %zu\n", scratch.get_desc().get_size(), 4 * pad.size());
  return 4 * pad.size() > scratch.get_desc().get_size();
}

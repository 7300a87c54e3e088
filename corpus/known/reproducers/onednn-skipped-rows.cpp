// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.7: a kernel of one row, and a stride that skips rows. The implementation writes beyond its scratchpad.
//     g++ -std=c++17 onednn-skipped-rows.cpp -ldnnl && OMP_NUM_THREADS=1 ./a.out    exit code 1 while it is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  constexpr auto f32 = memory::data_type::f32;
  memory::desc x({1, 1, 601, 400}, f32, memory::format_tag::nhwc), y({1, 1, 201, 399}, f32, memory::format_tag::nhwc);
  memory::desc w({1, 1, 1, 2}, f32, memory::format_tag::any);
  primitive_attr attr;
  attr.set_scratchpad_mode(scratchpad_mode::user);
  convolution_forward::primitive_desc pd(cpu, prop_kind::forward, algorithm::convolution_direct, x, w, y, {3, 1},
                                         {0, 0}, {0, 0}, attr);
  std::vector<float> pad(1 << 20, -1);
  memory src(x, cpu), dst(y, cpu), wei(pd.weights_desc(), cpu), scratch(pd.scratchpad_desc(), cpu, pad.data());
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst},
                                      {DNNL_ARG_SCRATCHPAD, scratch}});
  s.wait();
  while (pad.back() == -1) pad.pop_back();  // what was not written
  std::printf("asked for %zu bytes, wrote up to byte %zu\n", scratch.get_desc().get_size(), 4 * pad.size());
  return 4 * pad.size() > scratch.get_desc().get_size();
}

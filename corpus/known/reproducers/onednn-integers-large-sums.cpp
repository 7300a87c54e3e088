// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6 to 3.13, integers: the sums of a convolution to s32 go through f32, and lose their low bits above 2^24.
// Here 519 products of 255 and 127 are summed.
//     g++ -std=c++17 onednn-integers-large-sums.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({1, 519, 1}, memory::data_type::u8, memory::format_tag::ncw);
  memory::desc w({1, 519, 1}, memory::data_type::s8, memory::format_tag::oiw);
  memory::desc y({1, 1, 1}, memory::data_type::s32, memory::format_tag::ncw);
  convolution_forward::primitive_desc pd(cpu, prop_kind::forward_inference, algorithm::convolution_direct, x, w, y,
                                         {1}, {0}, {0});
  std::vector<uint8_t> image(519, 255), weights(519, 127);
  int32_t result;
  memory src(x, cpu, image.data()), wei(w, cpu, weights.data()), dst(y, cpu, &result);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %d, must be %d\n", pd.impl_info_str(), result, 519 * 255 * 127);
  return result != 519 * 255 * 127;
}

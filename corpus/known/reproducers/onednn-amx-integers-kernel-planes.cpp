// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6, integers, with AMX: images are 2 with zero point 1, weights 1: 2 planes * 8 channels * (2 - 1) is 16.
//     g++ -std=c++17 onednn-amx-integers-kernel-planes.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
using namespace dnnl;

int main() {
  engine cpu(engine::kind::cpu, 0);
  stream s(cpu);
  memory::desc x({1, 8, 2, 1, 1}, memory::data_type::u8, memory::format_tag::ndhwc);
  memory::desc y({1, 1, 1, 1, 1}, memory::data_type::u8, memory::format_tag::ndhwc);
  memory::desc w({1, 8, 2, 1, 2}, memory::data_type::s8, memory::format_tag::any);
  primitive_attr attributes;
  attributes.set_zero_points(DNNL_ARG_SRC, 0, {1});
  convolution_forward::primitive_desc pd({prop_kind::forward_inference, algorithm::convolution_direct, x, w, y,
                                            {1, 1, 1}, {0, 0, 0}, {0, 0, 1}}, attributes, cpu);
  std::vector<int8_t> image(16, 2), weights(32, 1), result(1);
  memory src(x, cpu, image.data()), wei(pd.weights_desc(), cpu), dst(y, cpu, result.data());
  memory plain({{1, 8, 2, 1, 2}, memory::data_type::s8, memory::format_tag::oidhw}, cpu, weights.data());
  reorder(plain, wei).execute(s, plain, wei);
  convolution_forward(pd).execute(s, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  s.wait();
  std::printf("%s: %d, must be 16\n", pd.impl_info_str(), result[0]);
  return result[0] != 16;
}

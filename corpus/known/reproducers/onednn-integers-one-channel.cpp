// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.7, integers: with one input channel, a channels-first destination is taken for a channels-last one. Here two
// output channels of two positions are 1, and the last of the four numbers is never written.
//     g++ -std=c++17 onednn-integers-one-channel.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::desc source({1, 1, 2}, memory::data_type::u8, memory::format_tag::ncw),
      kernel({2, 1, 1}, memory::data_type::s8, memory::format_tag::oiw),
      destination({1, 2, 2}, memory::data_type::f32, memory::format_tag::ncw);
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct, source, kernel,
                                                          destination, {1}, {0}, {0});
  std::vector<uint8_t> ones = {1, 1};
  std::vector<int8_t> weights = {1, 1};
  std::vector<float> result(4, NAN);
  memory src(source, engine, ones.data()), wei(kernel, engine, weights.data()), dst(destination, engine, result.data());
  dnnl::convolution_forward(forward).execute(stream,
                                             {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s\n", forward.impl_info_str());
  int wrong = 0;
  for (const float value : result) {
    std::printf("%g, must be 1\n", value);
    wrong |= value != 1;
  }
  return wrong;
}

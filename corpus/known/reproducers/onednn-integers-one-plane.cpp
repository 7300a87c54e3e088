// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.7, integers: an image of one plane, with a plane of padding before it, and a kernel of two planes. All
// numbers are 1, the second plane of the kernel meets the image, and the sums of the two outputs are 2.
//     g++ -std=c++17 onednn-integers-one-plane.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const auto s8 = memory::data_type::s8;
  const memory::desc source({1, 1, 1, 1, 3}, memory::data_type::u8, memory::format_tag::ndhwc),
      plain({1, 1, 2, 1, 2}, s8, memory::format_tag::oidhw), kernel({1, 1, 2, 1, 2}, s8, memory::format_tag::any),
      destination({1, 1, 1, 1, 2}, f32, memory::format_tag::ndhwc);
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct, source, kernel,
                                                          destination, {1, 1, 1}, {1, 0, 0}, {0, 0, 0});
  std::vector<uint8_t> ones(3, 1);
  std::vector<int8_t> weights(4, 1);
  std::vector<float> result(2, 0);
  memory src(source, engine, ones.data()), given(plain, engine, weights.data()), wei(forward.weights_desc(), engine),
      dst(destination, engine, result.data());
  dnnl::reorder(given, wei).execute(stream, given, wei);
  dnnl::convolution_forward(forward).execute(stream,
                                             {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s: %g and %g, must be 2 and 2\n", forward.impl_info_str(), result[0], result[1]);
  return result[0] != 2 || result[1] != 2;
}

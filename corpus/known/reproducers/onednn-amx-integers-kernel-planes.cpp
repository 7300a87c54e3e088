// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, integers, on a processor with AMX: an image of 2 planes of one number, 8 channels, a kernel of 2 planes
// and 2 columns, and a column of padding behind the image. All numbers are 2, their zero point is 1, and all weights
// are 1: the sum is 2 planes * 8 channels * (2 - 1) = 16.
//     g++ -std=c++17 onednn-amx-integers-kernel-planes.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto s8 = memory::data_type::s8;
  const memory::desc source({1, 8, 2, 1, 1}, memory::data_type::u8, memory::format_tag::ndhwc),
      plain({1, 8, 2, 1, 2}, s8, memory::format_tag::oidhw), kernel({1, 8, 2, 1, 2}, s8, memory::format_tag::any),
      destination({1, 1, 1, 1, 1}, memory::data_type::f32, memory::format_tag::ndhwc);
  dnnl::primitive_attr attributes;
  attributes.set_zero_points(DNNL_ARG_SRC, 0, {1});
  const dnnl::convolution_forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, source, kernel, destination, {1, 1, 1},
      {0, 0, 0}, {0, 0, 1});
  const dnnl::convolution_forward::primitive_desc forward(description, attributes, engine);
  std::vector<uint8_t> image(16, 2);
  std::vector<int8_t> weights(32, 1);
  std::vector<float> result(1, 0);
  memory src(source, engine, image.data()), given(plain, engine, weights.data()), wei(forward.weights_desc(), engine),
      dst(destination, engine, result.data());
  dnnl::reorder(given, wei).execute(stream, given, wei);
  dnnl::convolution_forward(forward).execute(stream,
                                             {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s: %g, must be 16\n", forward.impl_info_str(), result[0]);
  return result[0] == 16 ? 0 : 1;
}

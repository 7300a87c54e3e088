// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, integers, with AVX-512 VNNI: conv3d of two groups of one channel, with four filters of 2x2x2 taps in each
// group. All numbers are 1, so that each of the eight results is 8; 128 times the weights are left over.
//     g++ -std=c++17 onednn-integers-grouped-conv3d.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto s8 = memory::data_type::s8;
  const memory::desc source({1, 2, 2, 2, 2}, s8, memory::format_tag::ndhwc),
      plain({2, 4, 1, 2, 2, 2}, s8, memory::format_tag::goidhw),
      kernel({2, 4, 1, 2, 2, 2}, s8, memory::format_tag::any),
      destination({1, 8, 1, 1, 1}, memory::data_type::f32, memory::format_tag::ndhwc);
  const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_inference,
                                                    dnnl::algorithm::convolution_direct, source, kernel, destination,
                                                    {1, 1, 1}, {0, 0, 0}, {0, 0, 0});
  const dnnl::convolution_forward::primitive_desc forward(description, engine);
  std::vector<int8_t> image(16, 1), weights(64, 1);
  std::vector<float> result(8, 0);
  memory src(source, engine, image.data()), given(plain, engine, weights.data()), wei(forward.weights_desc(), engine),
      dst(destination, engine, result.data());
  dnnl::reorder(given, wei).execute(stream, given, wei);
  dnnl::convolution_forward(forward).execute(stream,
                                             {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s: %g, must be 8\n", forward.impl_info_str(), result[0]);
  return result[0] == 8 ? 0 : 1;
}

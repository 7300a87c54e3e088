// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, s8 in nwc, with AVX-512 VNNI: a transposed convolution of one number, 1, with the weights 1, 1 is added
// to what the output held, 101, whose zero point is 100. 100 + 1 + (101 - 100) is 102; the weights are rounded to 0.
//     g++ -std=c++17 onednn-integers-sum-with-zero-point.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto s8 = memory::data_type::s8;
  const memory::desc source({1, 1, 1}, s8, memory::format_tag::nwc), result({1, 1, 2}, s8, memory::format_tag::nwc),
      plain({1, 1, 2}, s8, memory::format_tag::oiw), chosen({1, 1, 2}, s8, memory::format_tag::any);
  constexpr int kZeroPoint = 100;
  dnnl::post_ops sum;
  sum.append_sum(1, kZeroPoint);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(sum);
  attributes.set_zero_points(DNNL_ARG_DST, 0, {kZeroPoint});
  const dnnl::deconvolution_forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct, source, chosen, result, {1}, {0}, {0});
  const dnnl::deconvolution_forward::primitive_desc forward(description, attributes, engine);
  std::vector<int8_t> image = {1}, kernel = {1, 1}, out = {101, 101};
  memory src(source, engine, image.data()), given(plain, engine, kernel.data()), dst(result, engine, out.data()),
      wei(forward.weights_desc(), engine);
  dnnl::reorder(given, wei).execute(stream, given, wei);
  dnnl::deconvolution_forward(forward).execute(stream,
                                               {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s: %d, %d; must be 102\n", forward.impl_info_str(), out[0], out[1]);
  return out[0] == 102 && out[1] == 102 ? 0 : 1;
}

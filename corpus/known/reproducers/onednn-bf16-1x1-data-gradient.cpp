// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, bf16 in nhwc: the data gradient of a 1x1 convolution with an odd number of output channels multiplies by
// what lies behind a pixel. Here there is one channel and one weight, 1, so that the gradient is diff_dst itself.
//     g++ -std=c++17 onednn-bf16-1x1-data-gradient.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

static uint16_t bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

static float as_float(uint16_t half) {
  const uint32_t bits = uint32_t{half} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::dims image = {1, 1, 5, 6}, kernel = {1, 1, 1, 1}, ones = {1, 1}, zeros = {0, 0};
  const memory::desc pixels(image, memory::data_type::bf16, memory::format_tag::nhwc),
      weights(kernel, memory::data_type::bf16, memory::format_tag::any),
      plain(kernel, memory::data_type::bf16, memory::format_tag::oihw);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training,
                                                          dnnl::algorithm::convolution_direct, pixels, weights, pixels,
                                                          ones, zeros, zeros);
  const dnnl::convolution_backward_data::primitive_desc gradient(engine, dnnl::algorithm::convolution_direct, pixels,
                                                                 weights, pixels, ones, zeros, zeros, forward);
#else
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, pixels, weights, pixels, ones, zeros,
       zeros},
      engine);
  const dnnl::convolution_backward_data::primitive_desc gradient(
      {dnnl::algorithm::convolution_direct, pixels, weights, pixels, ones, zeros, zeros}, engine, forward);
#endif
  std::vector<uint16_t> one = {bf16(1)}, diff_dst, diff_src(30);
  for (float value = 1; value <= 30; ++value) diff_dst.push_back(bf16(value));
  memory given(plain, engine, one.data()), reordered(gradient.weights_desc(), engine),
      in(pixels, engine, diff_dst.data()), out(pixels, engine, diff_src.data());
  dnnl::reorder(given, reordered).execute(stream, given, reordered);
  dnnl::convolution_backward_data(gradient).execute(
      stream, {{DNNL_ARG_DIFF_DST, in}, {DNNL_ARG_WEIGHTS, reordered}, {DNNL_ARG_DIFF_SRC, out}});
  stream.wait();
  int wrong = 0;
  for (size_t i = 0; i < diff_src.size(); ++i) {
    std::printf("%g, must be %g\n", as_float(diff_src[i]), as_float(diff_dst[i]));
    wrong |= diff_src[i] != diff_dst[i];
  }
  std::printf("%s: %s\n", gradient.impl_info_str(), wrong ? "wrong" : "right");
  return wrong;
}

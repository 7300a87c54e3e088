// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.7, bf16: the weight gradient of a convolution with two groups and two rows of the kernel, which are dilated.
// The image and the gradient of the result are 1 everywhere: all weights have the same gradient, the number of outputs.
//     g++ -std=c++17 onednn-bf16-grouped-dilated-weight-gradient.cpp -ldnnl && ./a.out    exit code 1 while it is there
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto bf16 = memory::data_type::bf16, f32 = memory::data_type::f32;
  const memory::desc source({1, 2, 3, 31}, bf16, memory::format_tag::nhwc),
      kernel({2, 1, 1, 2, 2}, bf16, memory::format_tag::any), plain({2, 1, 1, 2, 2}, f32, memory::format_tag::goihw),
      destination({1, 2, 1, 30}, bf16, memory::format_tag::nhwc);
  const auto direct = dnnl::algorithm::convolution_direct;
  const memory::dims strides = {1, 1}, dilations = {1, 0}, padding = {0, 0};  // 0 is dense
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, direct, source,
                                                          kernel, destination, strides, dilations, padding, padding);
  const dnnl::convolution_backward_weights::primitive_desc backward(engine, direct, source, kernel, destination,
                                                                    strides, dilations, padding, padding, forward);
  constexpr uint16_t kOne = 0x3f80;  // in bf16
  std::vector<uint16_t> images(2 * 3 * 31, kOne), ones(2 * 30, kOne);
  std::vector<float> gradient(8, 0);
  memory src(source, engine, images.data()), wei(backward.diff_weights_desc(), engine),
      dst(destination, engine, ones.data()), shown(plain, engine, gradient.data());
  dnnl::convolution_backward_weights(backward).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei}, {DNNL_ARG_DIFF_DST, dst}});
  dnnl::reorder(wei, shown).execute(stream, wei, shown);
  stream.wait();
  std::printf("%s:", backward.impl_info_str());
  int wrong = 0;
  for (const float value : gradient) {
    std::printf(" %g", value);
    wrong |= value != 30;
  }
  std::printf(", each must be 30\n");
  return wrong;
}

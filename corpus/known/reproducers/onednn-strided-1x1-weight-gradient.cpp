// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6 to 3.7, with AVX2 or AVX-512: the weight gradient of a 1x1 kernel with stride 2 writes beyond the
// scratchpad that it has asked for. It is the user's here, and the numbers behind it must stay as they are.
//     g++ -std=c++17 onednn-strided-1x1-weight-gradient.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <algorithm>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const auto nhwc = memory::format_tag::nhwc;
  const memory::desc source({1, 1, 62, 62}, f32, nhwc), any({9, 1, 1, 1}, f32, memory::format_tag::any),
      destination({1, 9, 31, 31}, f32, nhwc);
  const memory::dims strides = {2, 2}, zero = {0, 0};
  const auto direct = dnnl::algorithm::convolution_direct;
  dnnl::primitive_attr users;
  users.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, direct, source,
                                                          any, destination, strides, zero, zero);
  const dnnl::convolution_backward_weights::primitive_desc backward(engine, direct, source, any, destination, strides,
                                                                    zero, zero, forward, users);
#else
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, direct, source, any, destination, strides, zero, zero}, engine);
  const dnnl::convolution_backward_weights::primitive_desc backward(
      {direct, source, any, destination, strides, zero, zero}, users, engine, forward);
#endif
  const size_t asked = backward.scratchpad_desc().get_size();
  constexpr unsigned char kUntouched = 0xa5;
  std::vector<unsigned char> scratch(asked + (1 << 20), kUntouched);
  std::vector<float> image(62 * 62, 1), gradient(9 * 31 * 31, 1);
  memory src(source, engine, image.data()), dst(destination, engine, gradient.data()),
      wei(backward.diff_weights_desc(), engine), own(backward.scratchpad_desc(), engine, scratch.data());
  dnnl::convolution_backward_weights(backward).execute(
      stream,
      {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei}, {DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_SCRATCHPAD, own}});
  stream.wait();
  const auto is_touched = [](unsigned char byte) { return byte != kUntouched; };
  const auto end = std::find_if(scratch.rbegin(), scratch.rend(), is_touched).base() - scratch.begin();
  std::printf("%s: asked for %zu bytes, wrote up to byte %td\n", backward.impl_info_str(), asked, end);
  return static_cast<size_t>(end) > asked;
}

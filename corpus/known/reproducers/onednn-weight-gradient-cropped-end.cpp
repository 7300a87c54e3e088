// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6 to 3.7, without AVX-512: the weight gradient of an output of one row takes the row behind it as well, if
// the one row begins in the padding, and padding at the end is negative. The image is (1, 2, 3), the kernel has two
// rows, the stride is 2, and row 0 sees padding and 1. The number behind the gradient of that row is 100 here.
//     g++ -std=c++17 onednn-weight-gradient-cropped-end.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const auto nhwc = memory::format_tag::nhwc;
  const memory::desc source({1, 1, 3, 1}, f32, nhwc), any({1, 1, 2, 1}, f32, memory::format_tag::any),
      kernel({1, 1, 2, 1}, f32, memory::format_tag::oihw), destination({1, 1, 1, 1}, f32, nhwc);
  const memory::dims strides = {2, 1}, begin = {1, 0}, end = {-1, 0};
  const auto direct = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, direct, source,
                                                          any, destination, strides, begin, end);
  const dnnl::convolution_backward_weights::primitive_desc backward(engine, direct, source, any, destination, strides,
                                                                    begin, end, forward);
#else
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, direct, source, any, destination, strides, begin, end}, engine);
  const dnnl::convolution_backward_weights::primitive_desc backward(
      {direct, source, any, destination, strides, begin, end}, engine, forward);
#endif
  float image[] = {1, 2, 3}, gradient_and_more[] = {1, 100}, found[] = {0, 0};
  memory src(source, engine, image), dst(destination, engine, gradient_and_more), plain(kernel, engine, found),
      wei(backward.diff_weights_desc(), engine);
  dnnl::convolution_backward_weights(backward).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei}, {DNNL_ARG_DIFF_DST, dst}});
  dnnl::reorder(wei, plain).execute(stream, wei, plain);
  stream.wait();
  std::printf("%s: (%g, %g), must be (0, 1)\n", backward.impl_info_str(), found[0], found[1]);
  return found[0] != 0 || found[1] != 1;
}

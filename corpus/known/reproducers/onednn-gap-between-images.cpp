// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.7: the gradients ignore a gap between the images. Here two images of one number lie four numbers apart, and
// the gradient of the weight is 1 * 1 + 1 * 1. What is computed has the number behind the first image in place of the
// second.
//     g++ -std=c++17 onednn-gap-between-images.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const memory::desc source({2, 1, 1}, f32, memory::dims{4, 1, 1}), kernel({1, 1, 1}, f32, memory::format_tag::oiw),
      destination({2, 1, 1}, f32, memory::format_tag::ncw);
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, direct, source,
                                                          kernel, destination, {1}, {0}, {0});
  const dnnl::convolution_backward_weights::primitive_desc backward(engine, direct, source, kernel, destination, {1},
                                                                    {0}, {0}, forward);
  std::vector<float> images = {1, 100, 100, 100, 1}, ones = {1, 1}, gradient = {0};
  memory src(source, engine, images.data()), wei(kernel, engine, gradient.data()),
      dst(destination, engine, ones.data());
  dnnl::convolution_backward_weights(backward).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_WEIGHTS, wei}, {DNNL_ARG_DIFF_DST, dst}});
  stream.wait();
  std::printf("%s: %g, must be 2\n", backward.impl_info_str(), gradient[0]);
  return gradient[0] != 2;
}

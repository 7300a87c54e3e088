// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, f32, on a processor with AVX-512: the weight gradient of an image of 32 rows and 14 columns and a kernel
// as large. The result's gradient is one number, 1: the weight gradient is the image, whose numbers are 0 to 447.
//     g++ -std=c++17 onednn-wide-kernel-weight-gradient.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdio>
#include <dnnl.hpp>
#include <numeric>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const auto any = memory::format_tag::any;
  const auto nchw = memory::format_tag::nchw;
  constexpr auto kForward = dnnl::prop_kind::forward_training;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const memory::desc source({1, 1, 32, 14}, f32, nchw), free_source({1, 1, 32, 14}, f32, any),
      kernel({1, 1, 32, 14}, f32, any), plain({1, 1, 32, 14}, f32, memory::format_tag::oihw),
      one({1, 1, 1, 1}, f32, nchw), free_one({1, 1, 1, 1}, f32, any);
  const dnnl::convolution_forward::primitive_desc hint(
      {kForward, kDirect, free_source, kernel, free_one, {1, 1}, {0, 0}, {0, 0}}, engine);
  const dnnl::convolution_backward_weights::primitive_desc backward(
      {kDirect, free_source, kernel, free_one, {1, 1}, {0, 0}, {0, 0}}, engine, hint);
  std::vector<float> image(448), gradient(448), ones(1, 1);
  std::iota(image.begin(), image.end(), 0.0F);
  memory given_src(source, engine, image.data()), src(backward.src_desc(), engine), given_dst(one, engine, ones.data()),
      dst(backward.diff_dst_desc(), engine), wei(backward.diff_weights_desc(), engine),
      result(plain, engine, gradient.data());
  dnnl::reorder(given_src, src).execute(stream, given_src, src);
  dnnl::reorder(given_dst, dst).execute(stream, given_dst, dst);
  dnnl::convolution_backward_weights(backward).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_WEIGHTS, wei}});
  dnnl::reorder(wei, result).execute(stream, wei, result);
  stream.wait();
  int wrong = 0;
  for (size_t i = 0; i < image.size(); ++i) wrong += gradient[i] != image[i];
  std::printf("%s: %d of 448 wrong, the first is %g\n", backward.impl_info_str(), wrong, gradient[0]);
  return wrong > 0;
}

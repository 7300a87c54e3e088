// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, f32, with AVX-512: a 1x1 convolution of one pixel, padded by one row in front, is added to what the
// output held, 10. The row of padding loses the bias, 1; with ReLU behind the sum, the process dies.
//     g++ -std=c++17 onednn-sum-of-idle-rows.cpp -ldnnl && ./a.out
// has the exit code 1 while the fault is there.
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const memory::desc source({1, 1, 1, 1}, f32, memory::format_tag::nhwc),
      destination({1, 1, 2, 1}, f32, memory::format_tag::nhwc), plain({1, 1, 1, 1}, f32, memory::format_tag::oihw),
      chosen({1, 1, 1, 1}, f32, memory::format_tag::any), one({1}, f32, memory::format_tag::x);
  dnnl::post_ops sum;
  sum.append_sum(1);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(sum);
  const dnnl::convolution_forward::desc description(dnnl::prop_kind::forward_inference,
                                                    dnnl::algorithm::convolution_direct, source, chosen, one,
                                                    destination, {1, 1}, {1, 0}, {0, 0});
  const dnnl::convolution_forward::primitive_desc forward(description, attributes, engine);
  std::vector<float> image = {1}, kernel = {1}, offset = {1}, result = {10, 10};
  memory src(source, engine, image.data()), given(plain, engine, kernel.data()), bias(one, engine, offset.data()),
      dst(destination, engine, result.data()), wei(forward.weights_desc(), engine);
  dnnl::reorder(given, wei).execute(stream, given, wei);
  dnnl::convolution_forward(forward).execute(
      stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s: %g, must be 11; %g, must be 12\n", forward.impl_info_str(), result[0], result[1]);
  return result[0] == 11 && result[1] == 12 ? 0 : 1;
}

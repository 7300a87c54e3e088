// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.7, f32: one input channel, an output of one column, and columns that are strided. Rows of the output after
// the first are wrong. Here the row that is padded in front makes two of them; both kernel rows see the numbers 1
// and 2.
//     g++ -std=c++17 onednn-one-column-strided.cpp -ldnnl && OMP_NUM_THREADS=1 ./a.out
// has the exit code 1 while the fault is there.
#include <cmath>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const memory::desc source({1, 1, 1, 2}, f32, memory::format_tag::nchw),
      destination({1, 1, 2, 1}, f32, memory::format_tag::nchw), plain({1, 1, 2, 2}, f32, memory::format_tag::oihw),
      chosen({1, 1, 2, 2}, f32, memory::format_tag::any);
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct, source, chosen,
                                                          destination, {1, 3}, {1, 0}, {1, 0});
  std::vector<float> image(64, NAN);  // what lies behind the image is nobody's
  image[0] = 1, image[1] = 2;
  std::vector<float> kernel = {1, 1, 1, 1}, result(2);
  memory src(source, engine, image.data()), given(plain, engine, kernel.data()),
      dst(destination, engine, result.data()), wei(forward.weights_desc(), engine);
  dnnl::reorder(given, wei).execute(stream, given, wei);
  dnnl::convolution_forward(forward).execute(stream,
                                             {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  std::printf("%s: %g, must be 3; %g, must be 3\n", forward.impl_info_str(), result[0], result[1]);
  return result[0] == 3 && result[1] == 3 ? 0 : 1;
}

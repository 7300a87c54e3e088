// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.7: a kernel of one row in one plane, and strides that skip planes and rows. What the implementation writes
// goes beyond the memory that it has for it.
//     g++ -std=c++17 onednn-skipped-rows.cpp -ldnnl && OMP_NUM_THREADS=1 ./a.out    a signal while the fault is there
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto f32 = memory::data_type::f32;
  const memory::desc source({1, 1, 13, 31, 23}, f32, memory::format_tag::ndhwc),
      plain({1, 1, 1, 1, 2}, f32, memory::format_tag::oidhw), kernel({1, 1, 1, 1, 2}, f32, memory::format_tag::any),
      destination({1, 1, 7, 16, 22}, f32, memory::format_tag::ndhwc);
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct, source, kernel,
                                                          destination, {2, 2, 1}, {0, 0, 0}, {0, 0, 0});
  std::printf("%s\n", forward.impl_info_str());
  std::vector<float> image(13 * 31 * 23, 1), weights(2, 1), result(7 * 16 * 22);
  memory src(source, engine, image.data()), given(plain, engine, weights.data()), wei(forward.weights_desc(), engine),
      dst(destination, engine, result.data());
  dnnl::reorder(given, wei).execute(stream, given, wei);
  for (int i = 0; i < 10; ++i)
    dnnl::convolution_forward(forward).execute(stream,
                                               {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  return 0;
}

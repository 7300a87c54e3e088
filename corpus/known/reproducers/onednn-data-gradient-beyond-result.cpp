// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6, f32 in nwc, with AVX-512: the data gradient of one channel from 560 writes beyond its result of five
// numbers, which lie at the end of a page here. The next page may not be touched.
//     g++ -std=c++17 onednn-data-gradient-beyond-result.cpp -ldnnl && ./a.out    dies while the fault is there
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

/// So many numbers, and no memory behind them.
static float* at_the_end_of_a_page(size_t count) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* two = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* end = static_cast<char*>(two) + page;
  mprotect(end, page, PROT_NONE);
  return reinterpret_cast<float*>(end) - count;
}

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  constexpr int kChannels = 560;
  const auto f32 = memory::data_type::f32;
  const auto nwc = memory::format_tag::nwc;
  const memory::desc image({1, 1, 5}, f32, nwc), result({1, kChannels, 3}, f32, nwc),
      chosen({kChannels, 1, 3}, f32, memory::format_tag::any), plain({kChannels, 1, 3}, f32, memory::format_tag::oiw);
  const memory::dims one = {1}, zero = {0};
  const auto direct = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, direct, image,
                                                          chosen, result, one, zero, zero);
  const dnnl::convolution_backward_data::primitive_desc gradient(engine, direct, image, chosen, result, one, zero, zero,
                                                                 forward);
#else
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, direct, image, chosen, result, one, zero, zero}, engine);
  const dnnl::convolution_backward_data::primitive_desc gradient({direct, image, chosen, result, one, zero, zero},
                                                                 engine, forward);
#endif
  std::vector<float> gradients(kChannels * 3, 1), weights(kChannels * 3, 1);
  memory given(plain, engine, weights.data()), wei(gradient.weights_desc(), engine),
      dst(result, engine, gradients.data()), src(image, engine, at_the_end_of_a_page(5));
  dnnl::reorder(given, wei).execute(stream, given, wei);
  std::printf("%s\n", gradient.impl_info_str());
  std::fflush(stdout);
  dnnl::convolution_backward_data(gradient).execute(
      stream, {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DIFF_SRC, src}});
  stream.wait();
  std::printf("nothing was touched beyond the result\n");
}

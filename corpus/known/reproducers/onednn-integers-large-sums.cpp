// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2.6 and 3.7, integers: the sums of a convolution to s32 go through f32, and lose their low bits above 2^24.
// Here 519 products of 255 and 127 are summed, channels first.
//     g++ -std=c++17 onednn-integers-large-sums.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

dnnl::convolution_forward::primitive_desc description(const dnnl::engine& engine, const memory::desc& source,
                                                      const memory::desc& kernel, const memory::desc& destination) {
  constexpr auto kKind = dnnl::prop_kind::forward_inference;
  constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kKind, kAlgorithm, source, kernel, destination, {1, 1}, {0, 0}, {0, 0}};
#else
  return {{kKind, kAlgorithm, source, kernel, destination, {1, 1}, {0, 0}, {0, 0}}, engine};
#endif
}

int main() {
  constexpr int64_t kChannels = 519, kOutputs = 16, kSize = 4;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::desc source({1, kChannels, kSize, kSize}, memory::data_type::u8, memory::format_tag::nchw),
      kernel({kOutputs, kChannels, 1, 1}, memory::data_type::s8, memory::format_tag::oihw),
      destination({1, kOutputs, kSize, kSize}, memory::data_type::s32, memory::format_tag::nchw);
  const auto forward = description(engine, source, kernel, destination);
  std::vector<uint8_t> image(kChannels * kSize * kSize, 255);
  std::vector<int8_t> weights(kOutputs * kChannels, 127);
  std::vector<int32_t> result(kOutputs * kSize * kSize);
  memory src(source, engine, image.data()), wei(kernel, engine, weights.data()),
      dst(destination, engine, result.data());
  dnnl::convolution_forward(forward).execute(stream,
                                             {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, wei}, {DNNL_ARG_DST, dst}});
  stream.wait();
  constexpr int32_t kRight = kChannels * 255 * 127;
  std::printf("%s: %d, must be %d\n", forward.impl_info_str(), result[0], kRight);
  return result[0] != kRight;
}

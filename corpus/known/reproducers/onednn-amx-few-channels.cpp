// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3.x, bf16 in nhwc, on processors with AMX: a convolution of 8 channels with a kernel of 8 columns multiplies taps
// by pixels of others. Here pixel x is x in all channels, and one tap of one channel is 1: the result is the image, shifted.
//     g++ -std=c++17 onednn-amx-few-channels.cpp -ldnnl && ./a.out    exit code 1 while the fault is there
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <vector>

using dnnl::memory;

static uint16_t bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

int main() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::dims ones = {1, 1}, zeros = {0, 0};
  const auto type = memory::data_type::bf16;
  const memory::desc src({1, 8, 1, 15}, type, memory::format_tag::nhwc),
      dst({1, 1, 1, 8}, type, memory::format_tag::nhwc), any({1, 8, 1, 8}, type, memory::format_tag::any),
      plain({1, 8, 1, 8}, type, memory::format_tag::oihw);
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct, src, any, dst, ones, zeros,
                                                          zeros);
#else
  const dnnl::convolution_forward::primitive_desc forward({dnnl::prop_kind::forward_inference,
                                                           dnnl::algorithm::convolution_direct, src, any, dst, ones, zeros,
                                                           zeros},
                                                          engine);
#endif
  std::vector<uint16_t> image, result(8);
  for (int i = 0; i < 8 * 15; ++i) image.push_back(bf16(static_cast<float>(i / 8)));
  int wrong = 0;
  for (int tap = 0; tap < 8; ++tap) {
    std::vector<uint16_t> taps(64, bf16(0));
    taps[tap] = bf16(1);
    memory given(plain, engine, taps.data()), reordered(forward.weights_desc(), engine), in(src, engine, image.data()),
        out(dst, engine, result.data());
    dnnl::reorder(given, reordered).execute(stream, given, reordered);
    dnnl::convolution_forward(forward).execute(
        stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, reordered}, {DNNL_ARG_DST, out}});
    stream.wait();
    for (int x = 0; x < 8; ++x) wrong += result[x] != bf16(static_cast<float>(x + tap));
  }
  std::printf("oneDNN %d.%d, %s: %d of 64 numbers are wrong\n", dnnl_version()->major, dnnl_version()->minor,
              forward.impl_info_str(), wrong);
  return wrong != 0;
}

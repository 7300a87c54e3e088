// SPDX-License-Identifier: Apache-2.0
//
// A line has the same data for ever: corpus, known causes and findings hold lines with seeds.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/role.h"
#include "fill/blocks.h"
#include "fill/fill.h"
#include "fill/values.h"

namespace convict {
namespace {

/// FNV-1a of the bytes of all operands of a line, in logical order.
uint64_t checksum_of(const std::string& line) {
  const Case c = parse_case(line);
  const convict_problem p = resolve_valid(c);
  convict_tensors tensors = describe_tensors(c, p);
  std::vector<std::vector<double>> storage;
  for (const Role& role : kRoles) {
    convict_tensor& tensor = tensors.*role.tensor;
    if (tensor.ndim == 0) continue;
    const size_t size = type_size(tensor.dtype);
    storage.emplace_back(static_cast<size_t>(buffer_count(tensor)) * size / sizeof(double) + 1, 0.0);
    tensor.data = reinterpret_cast<unsigned char*>(storage.back().data()) + static_cast<size_t>(tensor.offset) * size;
  }
  fill::fill_operands(c, p, tensors, c.seed);
  uint64_t hash = 0xcbf29ce484222325;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = tensors.*role.tensor;
    with_type(tensor.dtype, [&](auto zero) {
      for_each_element<decltype(zero)>(tensor, [&](const auto& element, const int64_t*) {
        unsigned char bytes[sizeof(element)];
        std::memcpy(bytes, &element, sizeof(element));
        for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
      });
    });
  }
  return hash;
}

TEST(SameData, OfALineForEver) {
  constexpr std::array<const char*, 14> kFills = {"int",     "comb",       "normal",     "wide",
                                                  "positive", "special",   "subnormal",  "zero",
                                                  "structured", "large_sums", "special_weights", "sparse",
                                                  "ones",    "onehot"};
  struct Row {
    const char* line;
    std::array<uint64_t, 14> checksums;  // by fill
  };
  const Row rows[] = {
      {"conv2d n=2 g=2 ic=6 oc=4 in=9x7 k=3x2 p=1:2 lay=nhwc:hwio:nhwc bias beta=2 seed=77",
       {0xf25f7f2c2834cea5, 0xa5303fc67b37e87b, 0xc8f1b8b0bfac3063, 0xbc135638dac02b24, 0xc945f7a99258f3bf,
        0x73b2e55f743ddbc6, 0x5d56d857d29c115d, 0x7c7dbe0c7d7daffb, 0x5f16836e69af83eb, 0xb2fba6790f5bd7b6,
        0x73b2e55f743ddbc6, 0xd3256ff6cb80a17f, 0x9b0d299573f021a5, 0x4018ac4fa5e38af5}},
      {"conv_transpose1d.backward_data n=2 ic=9 oc=7 in=70 k=5 s=3 view=src+wei seed=79",
       {0x4ccded908ce74c1b, 0xfa4ae46aa1b57262, 0x47eabd00324123e6, 0x79f5a1ac21523161, 0x24e128c347fa845f,
        0x779c23d6db4fa9b6, 0x48dcd950ac7bef59, 0x6c2517e0a9e43e2b, 0x2aa17e016e4f2a78, 0xdf92d0849bf450e2,
        0x779c23d6db4fa9b6, 0x5875cabc7499219b, 0xf23c0f45c13b9cc8, 0x6730d5d8d3dd5a75}},
      {"conv2d ic=3 oc=2 in=300x1 k=2x1 dt=f64 seed=80",
       {0x849c9f58fb093270, 0xc9483d0d77edad22, 0x3efce434b5df76de, 0x57d2f86345e452b0, 0x84b332b3c6a2e9c7,
        0x4ec6f7fd2888fad7, 0xecc97937dd536371, 0xf78c1c7a562e1165, 0xcd3ae4e912b057e5, 0x727908aadf45d254,
        0x52b4a5f566fd8961, 0xfdee1ccac9f6ecaf, 0xf3ff536b0a0771e5, 0xd47ff20a99bf6565}},
      {"conv2d.backward_data n=1 ic=5 oc=6 in=7x11 k=3 p=1 dt=f16 view=dst seed=81",
       {0x95ce8c3d4ada1737, 0xa8aa49be7a5bd99d, 0xa72660d682f897ee, 0xb8adba99c3c7d592, 0xf853bd64ad829904,
        0xb61663be2530133e, 0xbcc32ea0b9c61415, 0x0f21c7039307d1ed, 0x87b38ffbeee64ab7, 0x2283075ed7c335b3,
        0xb61663be2530133e, 0x183e915fdc30644b, 0x7bf9ae6ed313a0ad, 0x1f0946f648d13f4d}},
      {"conv2d n=2 ic=5 oc=6 in=7x11 k=3 p=1 dt=bf16 seed=82",
       {0x5f79f417142b30f3, 0xa72d5d72f6aab63d, 0x0ac7beae1b75d004, 0xa713da1711013569, 0xe91b18ecfdbb80f6,
        0x509a5c5d210d5e08, 0x40109be739c12433, 0x6ad246d4b574cbba, 0xe5aeb9421758085b, 0xaf1176908d1aafcc,
        0x509a5c5d210d5e08, 0x4d947c588fa4ab73, 0xe11f734984303ec5, 0xd0ef8defb63de085}},
      {"conv2d n=2 ic=4 oc=6 in=8x9 k=3 dt=u8:s8:u8 zp=13:200 scale=channel bias seed=83",
       {0xaf2e44acf91489e2, 0x5bad6f11732fd83f, 0x306c2c7da6821cc3, 0xe6dbcc223473032c, 0xca925a5366fb0366,
        0x306c2c7da6821cc3, 0xaf2e44acf91489e2, 0x4c3e42eec64c20d4, 0x22658f62f7f83bdd, 0xca925a5366fb0366,
        0x306c2c7da6821cc3, 0x97e298c6ab958e3a, 0x6682cfa311fba3bd, 0x6f480c16ed36a9cd}},
      {"conv1d ic=4 oc=6 in=80 k=3 dt=u8:s8:s32 zp=255:0 bias beta=2 seed=85",
       {0xc478bd98cc5ab53b, 0x037b3e60e9c8288b, 0x6425cc2fb6e27bd2, 0x368085209c421f2c, 0x3d01bc7a93f7752f,
        0x6425cc2fb6e27bd2, 0xc478bd98cc5ab53b, 0xc8c316e99885181e, 0x3e94b64898729dfb, 0x3d01bc7a93f7752f,
        0x6425cc2fb6e27bd2, 0x7f5360d242a54851, 0x637604f139409a5d, 0x811c4ef9f613349b}},
      {"conv2d ic=4 oc=6 in=8x9 k=3 dt=s16:s8:s16 requant=single scale=channel bias seed=87",
       {0x0fcf9f77d5179e37, 0x4f776a546e89ded3, 0xf85ac38fbe699779, 0x4846f2440c442a77, 0xa4481c5ee236230a,
        0xf85ac38fbe699779, 0x0fcf9f77d5179e37, 0x0aa3bb06ff0ce10c, 0x0fcf9f77d5179e37, 0xa4481c5ee236230a,
        0xf85ac38fbe699779, 0x3b0e0c7c9def330d, 0x6804724f50a6578f, 0x096759da71acf4ef}},
      {"conv2d ic=4 oc=40 in=8x9 k=3 dt=u8:s8:u8 zp=128:3 requant=double scale=channel bias seed=88",
       {0xcbc694280c83c467, 0xf694dd6b979419c5, 0xbd40c60f269ddab6, 0xf9d617369039b8b8, 0x497b92b3c51d11e5,
        0xbd40c60f269ddab6, 0xcbc694280c83c467, 0xd4036fd25b6fe0d5, 0x4a0769f4c1ab6f19, 0x497b92b3c51d11e5,
        0xbd40c60f269ddab6, 0x5e2dcad30d96622e, 0xf4056bdd245393e9, 0xd6ceb44dd82f76ee}},
  };
  for (const Row& row : rows)
    for (size_t i = 0; i < kFills.size(); ++i) {
      const std::string line = std::string(row.line) + " fill=" + kFills[i];
      EXPECT_EQ(checksum_of(line), row.checksums[i]) << line;
    }
}

/// Vectors compute what fill/values.h says of each hash, whatever the length of a row.
TEST(SameData, OfBlocksAndOfSingleElements) {
  for (const int64_t extent : {1, 3, 63, 64, 65, 300}) {
    std::vector<double> got(static_cast<size_t>(3 * 5 * 2 * extent), 0.0);
    convict_tensor tensor{};
    tensor.dtype = CONVICT_F64;
    tensor.ndim = 3;
    for (const auto [dim, count, stride] : {std::array<int64_t, 3>{0, 3, 5 * 2 * extent}, {1, 5, 1}, {2, extent, 5}})
      tensor.dims[dim] = count, tensor.strides[dim] = stride;
    tensor.data = got.data();
    const auto check = [&](const auto& make, const auto& value) {
      fill::Blocks blocks(tensor, 77, {});
      std::array<double, fill::Blocks::kMost> numbers;
      while (blocks.next()) {
        make(blocks.keys(), numbers.data());
        blocks.write(numbers.data());
      }
      fill::Rows rows(tensor, 77, {});
      size_t elements = 0;
      while (rows.next())
        for (int64_t i = 0; i < rows.count(); ++i, ++elements)
          ASSERT_EQ(got[static_cast<size_t>(rows.offset(i))], value(rows.hash(i))) << extent;
      EXPECT_EQ(elements, static_cast<size_t>(15 * extent));
    };
    check([](auto keys, double* to) { fill::make_integers(keys, 16, 2, to); },
          [](uint64_t hash) { return 2 * fill::integer(hash, 16); });
    check([](auto keys, double* to) { fill::make_normals(keys, to); },
          [](uint64_t hash) { return fill::normal(hash); });
    check([](auto keys, double* to) { fill::make_counts(keys, 1 << 22, to); },
          [](uint64_t hash) { return 1.0 + static_cast<double>(fill::below(hash, 1 << 22)); });
  }
}

}  // namespace
}  // namespace convict

// SPDX-License-Identifier: Apache-2.0
#include "kernels/int8/cell_form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernels/targets.h"

namespace convict::kernels {
namespace {

constexpr int64_t kChannels = 21, kColumns = 40, kPitch = 48;

/// How dst lies in memory: channels apart, positions side by side or not, or channels side by side.
struct Layout {
  const char* name;
  int64_t inner, step;
};

/// Sums of some channels, of two phases if wanted; the second one lacks its first position.
struct Block {
  std::vector<int32_t> c;
  std::vector<gemm::ResultRow> row;
  gemm::ColumnRun run[2] = {{{0, 0, 0}, 0, 7}, {{0, 0, 7}, 7, kColumns - 7}};
  gemm::CellSums sums{};

  Block(const Layout& layout, int64_t phases) {
    for (int64_t i = 0; i < kChannels * phases; ++i) {
      const int64_t phase = i % phases;
      row.push_back({i / phases * layout.inner + phase * layout.step, i / phases, {0, 0, phase}, {1, 1, kColumns}});
      for (int64_t j = 0; j < kPitch; ++j) c.push_back(static_cast<int32_t>((i * 37 + j * 11) % 601 - 300));
    }
    c[3] = std::numeric_limits<int32_t>::max();
    c[4] = std::numeric_limits<int32_t>::min();
    const Axes step = {0, 0, phases * layout.step};
    sums = {0, 0, row.data(), static_cast<int64_t>(row.size()), phases, run, 2, step, c.data(), kPitch};
  }
};

/// dst as `store` leaves it is what the epilogue makes of each sum.
template <class T>
void expect_stored(convict_dtype dtype, const border::Epilogue& epilogue, const Layout& layout, int64_t phases) {
  SCOPED_TRACE(testing::Message() << layout.name << ", " << phases << " phases, type " << dtype);
  const Block block(layout, phases);
  std::vector<T> dst(kChannels * layout.inner + kColumns * phases * layout.step + 1, T(9)), expected = dst;
  for (size_t i = 0; i < block.row.size(); ++i)
    for (int64_t j = block.row[i].begin[2]; j < kColumns; ++j)
      epilogue.store(expected[block.row[i].offset + j * phases * layout.step], block.row[i].channel,
                     block.c[i * kPitch + j]);
  const convict_problem problem{};
  convict_tensors tensors{};
  tensors.dst.data = dst.data();
  tensors.dst.dtype = dtype;
  int8::store({problem, tensors, epilogue}, {nullptr, 0, layout.inner, {0, 0, layout.step}}, kChannels, block.sums);
  for (size_t i = 0; i < dst.size(); ++i)
    ASSERT_EQ(std::memcmp(&dst[i], &expected[i], sizeof(T)), 0)
        << "element " << i << ": " << +dst[i] << ", not " << +expected[i];
}

template <class T>
void expect_all_layouts(convict_dtype dtype, const border::Epilogue& epilogue) {
  for (const Layout& layout : {Layout{"channels first", 200, 1}, {"apart", 400, 3}, {"channels last", 1, kChannels}})
    for (const int64_t phases : {1, 2}) expect_stored<T>(dtype, epilogue, layout, phases);
}

void expect_all_types(border::Epilogue epilogue) {
  expect_all_layouts<float>(CONVICT_F32, epilogue);
  epilogue.zero_point = -7;
  expect_all_layouts<int8_t>(CONVICT_S8, epilogue);
  epilogue.zero_point = 131;
  expect_all_layouts<uint8_t>(CONVICT_U8, epilogue);
}

TEST(SumStore, IsTheEpilogueOfEachSum) {
  std::vector<float> scale, bias;
  for (int64_t i = 0; i < kChannels; ++i) {
    scale.push_back(i % 3 == 0 ? 0.5f : 0.1f * static_cast<float>(i - 4));  // halves: ties
    bias.push_back(0.3f * static_cast<float>(i));
  }
  for_each_target([&] {
    for (const bool relu : {false, true})
      for (const double beta : {0.0, 0.5}) {
        border::Epilogue epilogue;
        epilogue.relu = relu;
        epilogue.beta = beta;
        expect_all_types(epilogue);
        epilogue.scale = scale.data();
        expect_all_types(epilogue);  // one scale for all channels
        epilogue.scale_stride = 1;
        expect_all_types(epilogue);
        epilogue.bias = bias.data();
        epilogue.bias_stride = 1;
        expect_all_types(epilogue);
      }
  });
}

TEST(SumStore, SumsOf32BitsStayAsTheyAre) {
  const std::vector<int32_t> bias(kChannels, 5);
  for_each_target([&] {
    for (const bool relu : {false, true}) {
      border::Epilogue epilogue;
      epilogue.relu = relu;
      expect_all_layouts<int32_t>(CONVICT_S32, epilogue);
      epilogue.bias = bias.data();
      epilogue.bias_stride = 1;
      expect_all_layouts<int32_t>(CONVICT_S32, epilogue);
    }
  });
}

TEST(SumStore, NaNAndNegativeZeroStay) {
  const float scales[] = {std::numeric_limits<float>::quiet_NaN(), -0.0f};
  for_each_target([&] {
    for (const float& scale : scales)
      for (const bool relu : {false, true}) {
        border::Epilogue epilogue;
        epilogue.scale = &scale;
        epilogue.relu = relu;
        expect_all_layouts<float>(CONVICT_F32, epilogue);
      }
  });
}

}  // namespace
}  // namespace convict::kernels

// SPDX-License-Identifier: Apache-2.0
#include "fill/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "generate/generate.h"

namespace convict {
namespace {

/// The inputs of a case in memory of their own.
struct Filled {
  explicit Filled(const std::string& line) : c(parse_case(line)), p(resolve_valid(c)), t(describe_tensors(c, p)) {
    for (convict_tensor* tensor : {&t.src, &t.wei, &t.bias, &t.dst, &t.diff_dst}) {
      if (tensor->ndim == 0) continue;
      storage.emplace_back(static_cast<size_t>(element_count(*tensor)));
      tensor->data = storage.back().data();
    }
    fill::fill_operands(c, p, t, c.seed);
  }
  float src(int64_t n, int64_t channel, int64_t h, int64_t w) const { return at(t.src, n, channel, h, w); }
  float wei(int64_t o, int64_t i, int64_t h, int64_t w) const { return at(t.wei, o, i, h, w); }
  static float at(const convict_tensor& x, int64_t a, int64_t b, int64_t h, int64_t w) {
    return static_cast<const float*>(x.data)[a * x.strides[0] + b * x.strides[1] + h * x.strides[2] + w * x.strides[3]];
  }

  Case c;
  convict_problem p;
  convict_tensors t;
  std::vector<std::vector<float>> storage;
};

TEST(Fill, ValuesDoNotDependOnTheLayout) {
  const Filled first("conv2d n=2 ic=3 oc=4 in=5x6 k=2x3 seed=9"),
      last("conv2d n=2 ic=3 oc=4 in=5x6 k=2x3 lay=nhwc:hwio:nhwc seed=9");
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t channel = 0; channel < 3; ++channel)
      for (int64_t h = 0; h < 5; ++h)
        for (int64_t w = 0; w < 6; ++w) EXPECT_EQ(first.src(n, channel, h, w), last.src(n, channel, h, w));
  EXPECT_EQ(first.wei(3, 2, 1, 2), last.wei(3, 2, 1, 2));
}

TEST(Fill, ShrinkingAnExtentKeepsTheRest) {
  const Filled large("conv2d n=2 ic=3 in=5x6 seed=9"), small("conv2d n=1 ic=2 in=4x3 seed=9");
  for (int64_t channel = 0; channel < 2; ++channel)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t w = 0; w < 3; ++w) EXPECT_EQ(large.src(0, channel, h, w), small.src(0, channel, h, w));
}

TEST(Fill, SeedAndRoleChangeTheValues) {
  const Filled one("conv2d n=8 ic=8 in=8x8 oc=64 k=8 seed=1"), two("conv2d n=8 ic=8 in=8x8 oc=64 k=8 seed=2");
  EXPECT_NE(one.storage[0], two.storage[0]);
  EXPECT_NE(one.storage[0], one.storage[1]);  // src and wei, equally large
}

/// benchdnn's weights repeat in every group, so a kernel that reads group 0 for all passes: ours must not.
TEST(Fill, GroupsBatchesAndChannelsDiffer) {
  const Filled f("conv2d n=2 g=2 ic=4 oc=4 in=4x4 k=3 seed=5");
  std::set<std::vector<float>> weights, images;
  for (int64_t o = 0; o < 4; ++o) {
    std::vector<float> filter;
    for (int64_t i = 0; i < 18; ++i) filter.push_back(f.wei(o, i / 9, i / 3 % 3, i % 3));
    weights.insert(filter);
  }
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t channel = 0; channel < 4; ++channel) {
      std::vector<float> plane;
      for (int64_t i = 0; i < 16; ++i) plane.push_back(f.src(n, channel, i / 4, i % 4));
      images.insert(plane);
    }
  EXPECT_EQ(weights.size(), 4u);
  EXPECT_EQ(images.size(), 8u);
}

TEST(Fill, IntegersKeepEveryPartialSumExact) {
  for (uint64_t i = 0; i < 2'000; ++i) {
    const Case c = generate::generate(nullptr, 4, i);
    if (resolve(c).why_not) continue;
    const convict_problem p = resolve_valid(c);
    const double range = static_cast<double>(fill::exact_range(c, p)), terms = static_cast<double>(most_terms(p));
    const bool all_f64 = c.src_type == CONVICT_F64 && c.wei_type == CONVICT_F64 && c.dst_type == CONVICT_F64;
    EXPECT_LE(range * range * terms + range, all_f64 ? 0x1p53 : 0x1p24) << to_text(c);
    EXPECT_GT(range, 0);
  }
  const Case wide =
      parse_case("conv_transpose2d.backward_weights in=2 k=1 s=5000 d=5001 op=5000 bias");  // 10^8 positions
  EXPECT_EQ(fill::exact_range(wide, resolve_valid(wide)), 0);
  const Case huge = parse_case("conv1d.backward_weights n=20000000 in=1");
  EXPECT_EQ(fill::exact_range(huge, resolve_valid(huge)), 0);  // no range is exact; nothing may be judged by equality
}

TEST(Fill, IntegersUseTheirWholeRange) {
  const Filled f("conv1d n=64 ic=64 in=8 seed=3");
  std::set<float> values(f.storage[0].begin(), f.storage[0].end());
  EXPECT_EQ(values.size(), 33u);
  EXPECT_EQ(*values.begin(), -16);
  EXPECT_EQ(*values.rbegin(), 16);
}

TEST(Fill, NormalsHaveZeroMeanAndUnitVariance) {
  const Filled f("conv1d n=64 ic=64 in=8 fill=normal seed=3");
  double sum = 0, squares = 0;
  for (const float x : f.storage[0]) {
    sum += x;
    squares += double{x} * x;
  }
  const double count = static_cast<double>(f.storage[0].size());
  EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 6 / std::sqrt(count));
}

TEST(Fill, WideValuesHaveManyMagnitudesAndNoneAtTheEndsOfTheType) {
  const Filled f("conv1d n=64 ic=64 in=8 fill=wide seed=3");
  int large = 0, small = 0;
  for (const float x : f.storage[0]) {
    large += std::abs(x) > 0x1p10f;
    small += std::abs(x) < 0x1p-10f;
    EXPECT_LE(std::abs(x), 0x1p22f);
  }
  const int count = static_cast<int>(f.storage[0].size());
  EXPECT_GT(large, count / 8);
  EXPECT_GT(small, count / 8);
}

/// Bytes of src and wei, and the scales.
struct FilledBytes {
  explicit FilledBytes(const std::string& line) : c(parse_case(line)), p(resolve_valid(c)), t(describe_tensors(c, p)) {
    for (const auto& [tensor, storage] : {std::pair{&t.src, &src}, {&t.wei, &wei}}) {
      storage->resize(static_cast<size_t>(element_count(*tensor)));
      tensor->data = storage->data();
    }
    scale.resize(static_cast<size_t>(element_count(t.scale)) + 1);
    t.scale.data = scale.data();
    dst.resize(4 * static_cast<size_t>(element_count(t.dst)));
    t.dst.data = dst.data();
    fill::fill_operands(c, p, t, c.seed);
  }
  Case c;
  convict_problem p;
  convict_tensors t;
  std::vector<uint8_t> src, wei, dst;
  std::vector<float> scale;
};

TEST(Fill, IntegersLieAroundTheirZeroPoint) {
  const FilledBytes middle("conv1d n=64 ic=64 in=8 dt=u8:s8:s32 zp=100:0"), end("conv1d n=64 ic=64 in=8 dt=u8:s8:s32");
  EXPECT_EQ(*std::ranges::min_element(middle.src), 84);
  EXPECT_EQ(*std::ranges::max_element(middle.src), 116);
  EXPECT_EQ(*std::ranges::min_element(end.src), 0);
  EXPECT_EQ(*std::ranges::max_element(end.src), 16);
  const FilledBytes ones("conv1d n=4 ic=4 in=8 dt=s8:s8:s32 zp=127:0 fill=ones");
  EXPECT_EQ(std::set<uint8_t>(ones.src.begin(), ones.src.end()), std::set<uint8_t>{126});
}

TEST(Fill, RealDataUsesAllIntegersAndTheEndsMoreOften) {
  const FilledBytes f("conv1d n=64 ic=64 oc=64 in=8 dt=u8:s8:s32 fill=normal seed=2");
  const std::set<uint8_t> src(f.src.begin(), f.src.end()), wei(f.wei.begin(), f.wei.end());
  EXPECT_EQ(src.size(), 256u);
  EXPECT_EQ(wei.size(), 256u);
  for (const int end : {0, 255})
    EXPECT_NEAR(static_cast<double>(std::ranges::count(f.src, end)), static_cast<double>(f.src.size()) / 16, 300);
  const FilledBytes large("conv1d n=8 ic=8 oc=8 in=8 dt=u8:s8:s32 fill=positive");
  EXPECT_GE(*std::ranges::min_element(large.src), 127);
  EXPECT_GE(*std::ranges::min_element(large.wei), 63);
  EXPECT_LE(*std::ranges::max_element(large.wei), 127);
}

TEST(Fill, ScalesArePositiveAndPowersOfTwoForExactData) {
  const FilledBytes exact("conv1d ic=64 oc=64 in=8 dt=u8:s8:s8 scale=channel"),
      real("conv1d ic=64 oc=64 in=8 dt=u8:s8:s8 scale=channel fill=normal"),
      one("conv1d ic=64 oc=64 in=8 dt=u8:s8:s8 scale=tensor");
  EXPECT_EQ(one.t.scale.dims[0], 1);
  EXPECT_EQ(exact.t.scale.dims[0], 64);
  const auto is_power = [](float x) { return std::ldexp(1.0, std::ilogb(x)) == x; };
  EXPECT_TRUE(std::all_of(exact.scale.begin(), exact.scale.end() - 1, is_power));
  EXPECT_FALSE(std::all_of(real.scale.begin(), real.scale.end() - 1, is_power));
  EXPECT_TRUE(std::all_of(real.scale.begin(), real.scale.end() - 1, [](float x) { return x > 0; }));
  EXPECT_GT(std::set<float>(exact.scale.begin(), exact.scale.end() - 1).size(), 1u)
      << "a channel must not stand for all";
}

TEST(Fill, StructuredWeightsHaveZeroSlicesRunsOrPatterns) {
  bool zero_slice = false, zero_channel = false, two_of_four = false;
  for (int seed = 0; seed < 40; ++seed) {
    const Filled filled("conv2d ic=6 oc=8 in=9 k=3 fill=structured seed=" + std::to_string(seed));
    EXPECT_TRUE(fill::is_exact(filled.c, filled.p));
    std::vector<int> by_slice(8), by_channel(6);
    int all = 0;
    for (int64_t o = 0; o < 8; ++o)
      for (int64_t i = 0; i < 6; ++i)
        for (int64_t tap = 0; tap < 9; ++tap) {
          const bool is = filled.wei(o, i, tap / 3, tap % 3) != 0;
          by_slice[static_cast<size_t>(o)] += is, by_channel[static_cast<size_t>(i)] += is, all += is;
        }
    EXPECT_GT(all, 0) << seed;
    zero_slice |= std::ranges::count(by_slice, 0) > 0;
    zero_channel |= std::ranges::count(by_channel, 0) > 0;
    two_of_four |= all == 8 * 6 * 9 / 2;
  }
  EXPECT_TRUE(zero_slice && zero_channel && two_of_four);
}

/// Sums are exact, and near the largest exact number where there are enough products.
TEST(Fill, LargeSumsComeNearTheLargestExactNumber) {
  for (const char* line :
       {"conv2d ic=64 oc=2 in=9 k=3 fill=large_sums seed=3", "conv2d ic=1 oc=1 in=3 k=1 fill=large_sums",
        "conv2d.backward_weights n=3 ic=2 oc=2 in=40 k=2 bias fill=large_sums"}) {
    const Case c = parse_case(line);
    const convict_problem p = resolve_valid(c);
    const fill::LargeSums largest = fill::large_sums(c, p);
    const double sum = static_cast<double>(largest.image * largest.weight * most_terms(p));
    EXPECT_TRUE(fill::is_exact(c, p)) << line;
    EXPECT_LE(sum, 0x1p24) << line;
    EXPECT_GE(sum, 0x1p22) << line;
  }
  const Filled filled("conv2d ic=64 oc=2 in=9 k=3 fill=large_sums seed=3");
  double sum = 0;
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t tap = 0; tap < 9; ++tap)
      sum += filled.src(0, i, tap / 3, tap % 3) * filled.wei(0, i, tap / 3, tap % 3);
  EXPECT_GT(std::abs(sum), 0x1p22);
}

TEST(Fill, SpecialWeightsAreThereWithoutPaddingOnly) {
  const auto specials = [](const char* line) {
    const Filled filled(line);
    int count = 0;
    for (int64_t i = 0; i < 64; ++i) count += !std::isfinite(filled.wei(i / 8, i % 8, 0, 0));
    return count;
  };
  EXPECT_GT(specials("conv2d ic=8 oc=8 in=5 k=1 fill=special_weights seed=1"), 0);
  EXPECT_EQ(specials("conv2d ic=8 oc=8 in=5 k=1 p=1 fill=special_weights seed=1"), 0);
}

}  // namespace
}  // namespace convict

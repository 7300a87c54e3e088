// SPDX-License-Identifier: Apache-2.0
#include "generate/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/case_text.h"
#include "core/error.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "tests/thorough.h"

namespace convict {
namespace {

constexpr uint64_t kDraws = 5'000;

/// Calls visit(case, problem) for the legal ones of `count` cases of a profile.
template <class Visit>
void for_each_legal(const generate::Profile* profile, uint64_t seed, uint64_t count, const Visit& visit) {
  for (uint64_t i = 0; i < count; ++i) {
    const Case c = generate::generate(profile, seed, i);
    const Resolved resolved = resolve(c);
    if (!resolved.why_not) visit(c, resolved.problem);
  }
}

TEST(Generate, EveryCaseIsLegalOrDeliberatelyNot) {
  for (const generate::Profile& profile : generate::profiles()) {
    int illegal = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
      const Case c = generate::generate(&profile, 1, i);
      ASSERT_EQ(parse_case(to_text(c)), c);
      illegal += resolve(c).why_not ? 1 : 0;
    }
    const double expected = profile.invalid * kDraws;
    EXPECT_NEAR(illegal, expected, 0.3 * expected) << profile.name;  // none at all where none are meant
  }
}

TEST(Generate, ACaseDependsOnSamplingAndIndexAlone) {
  for (uint64_t i : {0, 1, 17, 4096, 4097})
    EXPECT_EQ(generate::generate(nullptr, 5, i), generate::generate(nullptr, 5, i));
  EXPECT_NE(generate::generate(nullptr, 5, 1), generate::generate(nullptr, 5, 2));
  EXPECT_NE(generate::generate(nullptr, 5, 1), generate::generate(nullptr, 6, 1));
  std::set<std::string> backwards, forwards;  // whatever was drawn before
  for (uint64_t i = 200; i-- > 0;) backwards.insert(to_text(generate::generate(nullptr, 5, i)));
  for (uint64_t i = 0; i < 200; ++i) forwards.insert(to_text(generate::generate(nullptr, 5, i)));
  EXPECT_EQ(backwards, forwards);
}

TEST(Generate, StaysWithinTheBudgetsOfItsProfile) {
  for (const generate::Profile& profile : generate::profiles())
    for_each_legal(&profile, 2, kDraws, [&](const Case& c, const convict_problem& p) {
      ASSERT_LE(multiply_adds(p), profile.most_macs * 1.001) << profile.name << ": " << to_text(c);
      const convict_tensors t = describe_tensors(c, p);
      for (const convict_tensor* tensor : {&t.src, &t.dst, &t.diff_src, &t.diff_dst})
        ASSERT_LE(element_count(*tensor), 8 * profile.most_elements) << to_text(c);  // negative padding may widen it
    });
}

/// A wish for windows as large as the input makes strides smaller, when the output padding has been drawn.
TEST(Generate, WhatIsMeantToBeLegalIs) {
  for (const char* name : {"smoke", "any"})
    for (uint64_t i = 0; i < test::thorough<uint64_t>(100'000, 400'000); ++i) {
      const Case c = generate::generate(generate::find_profile(name), 3, i);
      ASSERT_FALSE(resolve(c).why_not) << name << ": " << to_text(c);
    }
}

/// Each level of each feature of a user's interest, in at least 1 % of the cases of the profile that has everything.
TEST(Generate, SmokeReachesEveryFeature) {
  std::map<std::string, int> seen;
  for_each_legal(generate::find_profile("smoke"), 7, kDraws, [&](const Case& c, const convict_problem& p) {
    ++seen[operation_text(c)];
    const Levels levels = levels_of(c, p);
    for (const Feature& feature : features())
      ++seen[std::string(feature.name) + "=" + std::string(feature.levels[levels[feature.id]])];
  });
  EXPECT_EQ(std::ranges::count_if(seen, [](const auto& one) { return one.first.starts_with("conv"); }),
            18);  // 2 ops, 3 ranks, 3 passes
  size_t count_of_levels = 0;
  for (const Feature& feature : features()) count_of_levels += feature.levels.size();
  EXPECT_EQ(seen.size(), 18 + count_of_levels);
  const std::set<std::string> rare = {"last kernel=17+", "largest kernel=17+", "type=mixed"};
  for (const auto& [feature, count] : seen)
    EXPECT_GE(count, static_cast<int>(kDraws) / (rare.contains(feature) ? 500 : 100)) << feature;
}

TEST(Generate, SharesAreNearThePromised) {
  std::map<std::string, double> share;
  constexpr uint64_t kMany = 40'000;
  for_each_legal(nullptr, 11, kMany, [&](const Case& c, const convict_problem& p) {
    const auto count = [&](const char* name, bool is) { share[name] += is ? 100.0 / kMany : 0; };
    count("int", c.fill == Fill::kInt);
    count("comb", c.fill == Fill::kComb);
    count("zero", c.fill == Fill::kZero);
    count("subnormal", c.fill == Fill::kSubnormal);
    count("beta", c.beta != 0);
    count("views", !(c.views == Views{}));
    count("f16", c.src_type == CONVICT_F16);
    count("f64", c.src_type == CONVICT_F64);
    count("again", c.calls == Calls::kAgain);
    count("together", c.calls == Calls::kTogether);
    count("reshaped", c.calls == Calls::kReshaped);
    count("threads", c.threads > 1);
    const bool wide_enough = c.src_type == CONVICT_F32 || c.src_type == CONVICT_F64;
    ASSERT_TRUE(c.fill != Fill::kSubnormal || (wide_enough && std::abs(c.beta) != 0.5)) << to_text(c);
    ASSERT_TRUE(!p.has_bias || c.pass != CONVICT_BACKWARD_DATA);
  });
  const std::map<std::string, double> promised = {
      {"int", 45}, {"comb", 18}, {"zero", 3.5}, {"subnormal", 5},   {"beta", 19},       {"views", 25},
      {"f16", 8},  {"f64", 6},   {"again", 3},  {"together", 0.19}, {"reshaped", 1.1}, {"threads", 9}};
  for (const auto& [name, percent] : promised) EXPECT_NEAR(share[name], percent, 0.3 * percent) << name;
}

TEST(Generate, ValuesLieAtTheEdgesOfBlocks) {
  std::set<int64_t> channels, kernels, strides;
  for_each_legal(nullptr, 3, 20'000, [&](const Case& c, const convict_problem&) {
    channels.insert(c.ic / c.groups);
    kernels.insert(c.kernel[c.rank - 1]);
    strides.insert(c.stride[c.rank - 1]);
  });
  for (int64_t value : {0, 1, 7, 8, 9, 15, 16, 17, 31, 33}) EXPECT_TRUE(channels.contains(value)) << value;
  for (int64_t value = 1; value <= 16; ++value) EXPECT_TRUE(kernels.contains(value)) << value;
  for (int64_t value : {31, 64}) EXPECT_TRUE(kernels.contains(value)) << value;
  for (int64_t value = 1; value <= 9; ++value) EXPECT_TRUE(strides.contains(value)) << value;
}

TEST(Generate, LargeKernelProfileGoesFarAboveFive) {
  int above_five = 0, largest = 0, legal = 0;
  for_each_legal(generate::find_profile("large-kernel"), 1, kDraws, [&](const Case& c, const convict_problem&) {
    const int kernel = static_cast<int>(std::ranges::max(c.kernel));
    ++legal;
    above_five += kernel > 5;
    largest = std::max(largest, kernel);
  });
  EXPECT_GT(above_five, legal / 2);  // wishes and masks want small ones, too
  EXPECT_EQ(largest, 64);
}

TEST(Generate, ProfilesKeepTheirPromises) {
  using namespace feature;
  const auto share = [](const char* profile, FeatureId id, std::set<int> levels) {
    int hits = 0, legal = 0;
    for_each_legal(generate::find_profile(profile), 1, kDraws, [&](const Case& c, const convict_problem& p) {
      ++legal;
      hits += levels.contains(features()[id].level(c, p));
    });
    return static_cast<double>(hits) / legal;
  };
  EXPECT_GT(share("odd-stride", kStride, {levels::kAlikeFromThree, levels::kDifferLastOne, levels::kDifferLastMore}),
            0.4);
  EXPECT_GT(share("odd-stride", kPhase, {levels::kAboveKernel, levels::kCommonFactor}), 0.4);
  EXPECT_GT(share("output-padding", kOutputPadding, {levels::kAllAxes, levels::kSomeAxes, levels::kFromStride}), 0.6);
  EXPECT_GT(share("output-padding", kOp, {1}), 0.9);
  EXPECT_GT(share("grouped", kGrouping, {levels::kGrouped, levels::kDepthwise, levels::kMultiplier}), 0.6);
  EXPECT_GT(share("layouts", kLayouts, {levels::kLast, levels::kLastToFirst, levels::kFirstToLast}), 0.4);
  EXPECT_GT(share("degenerate", kBatch, {0}), 0.15);
  EXPECT_GT(share("degenerate", kPadWindow, {levels::kOneSide, levels::kBothSides}), 0.2);
  EXPECT_GT(share("degenerate", kPadding, {levels::kNegative}), 0.08);
  EXPECT_GT(share("degenerate", kInAxes, {levels::kThin}), 0.4);
}

TEST(Generate, LongCrosses15And16BitsOnEverySize) {
  std::set<std::pair<std::string, int>> crossed;
  for_each_legal(generate::find_profile("long"), 1, kDraws, [&](const Case& c, const convict_problem& p) {
    const auto cross = [&](const char* name, int64_t size) {
      if (size > 1 << 15 && size < 1 << 16) crossed.insert({name, 15});
      if (size > 1 << 16) crossed.insert({name, 16});
    };
    cross("batch", c.batch);
    cross("groups", c.groups);
    cross("ic", c.ic / c.groups);
    cross("oc", c.oc / c.groups);
    cross("in", *std::ranges::max_element(p.in));
    cross("out", *std::ranges::max_element(p.out));
    if (std::ranges::max(c.in) < 1000) cross("plane", p.out[0] * p.out[1] * p.out[2]);
  });
  EXPECT_EQ(crossed.size(), 14u);
}

TEST(Generate, HugeIndexPasses31And32Bits) {
  int past31 = 0, past32 = 0;
  for_each_legal(generate::find_profile("huge-index"), 1, 500, [&](const Case& c, const convict_problem& p) {
    const convict_tensors t = describe_tensors(c, p);
    const auto elements = static_cast<double>(element_count(t.src));
    past31 += elements > 0x1p31 && elements < 0x1p32;
    past32 += elements > 0x1p32;
    EXPECT_GT(elements, 0x1p31) << to_text(c);
    double bytes = 0;
    for (const convict_tensor* tensor : {&t.src, &t.wei, &t.dst, &t.diff_dst, &t.diff_wei})
      bytes += static_cast<double>(element_count(*tensor)) * 4;
    EXPECT_LE(bytes, 24 * 0x1p30) << to_text(c);
    EXPECT_EQ(c.src_type, CONVICT_F32);
    int64_t reached = 0;  // the last window reads behind what 31 bits address
    const int64_t sizes[] = {c.batch, c.ic, p.in[0], p.in[1], p.in[2]};
    int64_t at[] = {c.batch - 1, c.ic - 1, 0, 0, 0};
    for (int axis = 0; axis < p.rank; ++axis)
      at[2 + axis] = (p.out[axis] - 1) * p.stride[axis] + (p.kernel[axis] - 1) * p.dilation[axis];
    for (int dim = 0; dim < 5; ++dim) reached = reached * sizes[dim] + at[dim];
    EXPECT_GT(reached, int64_t{1} << 30) << to_text(c);
  });
  EXPECT_GT(past31, 100);
  EXPECT_GT(past32, 100);
  for (uint64_t i = 0; i < 20'000; ++i)
    ASSERT_LT(std::ranges::max(generate::generate(nullptr, 1, i).in), int64_t{1} << 20);
}

TEST(Generate, AWrongProfileNameIsCorrected) {
  try {
    generate::find_profile("larg-kernel");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'large-kernel'?"), std::string::npos);
  }
}

TEST(GenerateInvalid, IsIllegalInManyWays) {
  std::map<std::string, int> ways;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const Case c = generate::generate_invalid(nullptr, 3, i);
    const Resolved resolved = resolve(c);
    ASSERT_TRUE(resolved.why_not) << to_text(c);
    ASSERT_EQ(parse_case(to_text(c)), c);
    std::string why = resolved.why_not.why;
    std::erase_if(why, [](char byte) { return (byte >= '0' && byte <= '9') || byte == '-'; });
    ++ways[resolved.why_not.field + std::string(": ") + why];
  }
  for (const char* way :
       {"op: only conv_transpose has output padding",
        "op: output padding  is not in .. (below the larger of stride and dilation)", "g:  groups do not divide ic=",
        "g:  groups do not divide oc=", "p: a window of  is larger than the padded input of ",
        "p: the padding crops the whole output (extent )"})
    EXPECT_GE(ways[way], static_cast<int>(kDraws) / 100) << way;
}

/// The one way can be taken back: nothing else is wrong.
TEST(GenerateInvalid, IsIllegalInOneWayOnly) {
  for (uint64_t i = 0; i < kDraws; ++i) {
    Case c = generate::generate_invalid(nullptr, 4, i);
    const std::string field = resolve(c).why_not.field;
    if (field == "bias") c.bias = false;
    for (int axis = 0; field == "op" && axis < c.rank; ++axis) {
      const bool may =
          c.op == CONVICT_CONV_TRANSPOSE && (c.pad_mode == PadMode::kExplicit || c.pad_mode == PadMode::kValid);
      c.output_padding[axis] =
          may ? std::min(c.output_padding[axis], std::max(c.stride[axis], c.dilation[axis]) - 1) : 0;
    }
    if (field == "g") c.groups = 1;
    if (field == "p" && c.op == CONVICT_CONV)
      for (int axis = 0; axis < c.rank; ++axis) c.in[axis] += 1'000'000;
    if (field == "p" && c.op == CONVICT_CONV_TRANSPOSE) c.pad_begin = c.pad_end = {0, 0, 0};
    const Resolved repaired = resolve(c);
    // a million more rows may be too many elements
    ASSERT_TRUE(!repaired.why_not || repaired.why_not.field == std::string("in")) << to_text(c) << repaired.why_not.why;
  }
}

}  // namespace
}  // namespace convict

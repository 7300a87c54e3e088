// SPDX-License-Identifier: Apache-2.0
//
// What a comparison notes of errors beside right and wrong.
#include "judge/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict {
namespace {

constexpr float kInfinityF32 = std::numeric_limits<float>::infinity();

/// Three outputs of one product each, whose bounds are little more than 2^-10 of their values.
class LargestRatio : public testing::Test {
 protected:
  LargestRatio() : tensors_(describe_tensors(c_, p_)) {
    judge::Expected<double>& output = expected_.emplace_back();
    output.role = "dst";
    output.tensor = &tensors_.dst;
    output.value = {1, 2, 4};
    output.magnitude = {1, 2, 4};
    output.taps = {std::vector<int64_t>{1}, {1}, {1, 1, 1}};
    output.window = 1;
    tensors_.dst.data = got_;
    rule_.kind = judge::Rule::Kind::kBound;
    rule_.arithmetic.u_out = 0x1p-10;
  }

  std::optional<double> ratio_of(std::array<float, 3> got) {
    std::ranges::copy(got, got_);
    return compare<double>(expected_, rule_).largest_ratio;
  }

  double bound_of(size_t index) const {
    return judge::direct_bound(rule_.arithmetic, judge::sum_of(expected_[0], index, 1, rule_),
                               judge::unit_roundoff<double>());
  }

  const Case c_ = parse_case("conv1d in=3");
  const convict_problem p_ = resolve_valid(c_);
  convict_tensors tensors_;
  float got_[3] = {};
  std::vector<judge::Expected<double>> expected_;
  judge::Rule rule_;
};

TEST_F(LargestRatio, IsOfTheElementThatIsNearestToItsBound) {
  EXPECT_EQ(ratio_of({1, 2, 4}), 0);
  const float first = 1 + 0x1p-12f, second = 2 + 0x1p-12f;  // the same error, and twice the bound
  EXPECT_EQ(ratio_of({first, second, 4}), 0x1p-12 / bound_of(0));
  EXPECT_EQ(ratio_of({1, second, 4}), 0x1p-12 / bound_of(1));
  EXPECT_LT(*ratio_of({first, 2, 4}), 1);
}

TEST_F(LargestRatio, IsBeyondOneForWhatIsWrong) {
  EXPECT_EQ(ratio_of({1, 3, 4}), 1 / bound_of(1));
  EXPECT_EQ(ratio_of({1, std::nanf(""), 4}), HUGE_VAL);
  EXPECT_EQ(ratio_of({std::nanf(""), 3, 5}), HUGE_VAL) << "whatever comes after";
  EXPECT_EQ(ratio_of({kInfinityF32, 2, 4}), HUGE_VAL);
}

TEST_F(LargestRatio, IsOfBoundsOnly) {
  rule_.kind = judge::Rule::Kind::kExact;
  EXPECT_EQ(ratio_of({1, 3, 4}), std::nullopt);
  rule_.kind = judge::Rule::Kind::kTolerance;
  rule_.absolute = 0.5;
  EXPECT_EQ(ratio_of({1, 2.25, 4}), std::nullopt);
  rule_.kind = judge::Rule::Kind::kBound;
  rule_.arithmetic.u_sum = 1;  // too many roundings: nothing is proven
  rule_.arithmetic.u_product = 1;
  EXPECT_EQ(ratio_of({1, 3, 4}), std::nullopt);
  rule_.arithmetic.u_sum = rule_.arithmetic.u_product = 0;
  rule_.kind = judge::Rule::Kind::kSpecial;
  expected_[0].value = {HUGE_VAL, NAN, 4};
  EXPECT_EQ(ratio_of({kInfinityF32, std::nanf(""), 4}), 0) << "of the finite one";
}

/// Where a sum may meet both infinities, NaN is right, and so is either infinity, or the sum; where only one, it is not.
TEST_F(LargestRatio, NaNIsRightWhereBothInfinitiesMeet) {
  rule_.arithmetic.overflow_sum = 10;
  expected_[0].magnitude = {100, 100, 100};
  expected_[0].value = {0, 95, 4};  // 50 of either sign; 2.5 below zero; 48 below zero
  const auto wrong_with = [&](std::array<float, 3> got) {
    std::ranges::copy(got, got_);
    return compare<double>(expected_, rule_).wrong;
  };
  const float nan = std::nanf("");
  EXPECT_EQ(wrong_with({nan, 95, nan}), 0);
  EXPECT_EQ(wrong_with({0, nan, 4}), 1);
  EXPECT_EQ(wrong_with({kInfinityF32, kInfinityF32, -kInfinityF32}), 0);
  EXPECT_EQ(wrong_with({-kInfinityF32, -kInfinityF32, 42}), 2);
}

TEST_F(LargestRatio, WhatNobodyWroteIsNoNaNOfASum) {
  rule_.arithmetic.overflow_sum = 0.1;
  std::memset(got_, 0xff, sizeof got_);
  EXPECT_EQ(compare<double>(expected_, rule_).unwritten, 3);
}

/// Of 16-bit sums with many terms nothing is proven, and their roundings are not at random: nothing is noteworthy.
TEST_F(LargestRatio, SumsThatStagnateAreNotLessAccurate) {
  expected_[0].factor = expected_[0].window = 100;
  const auto worst_with = [&](double u_sum) {
    rule_.arithmetic.u_sum = u_sum;
    got_[0] = 0.96f, got_[1] = 2, got_[2] = 4;  // four units of 2^-10 * sqrt(100)
    return compare<double>(expected_, rule_).worst;
  };
  EXPECT_TRUE(worst_with(0x1p-11));  // 100 * u = 0.05
  EXPECT_FALSE(worst_with(0x1p-8));  // 0.4
}

TEST_F(LargestRatio, UnderflowIsNoLackOfAccuracy) {
  rule_.arithmetic.u_sum = 0x1p-24;
  rule_.arithmetic.u_out = 0;
  rule_.arithmetic.flushes_subnormals = true;
  rule_.arithmetic.eta_sum = 0.25;
  got_[0] = 0.75f, got_[1] = 2, got_[2] = 4;
  EXPECT_FALSE(compare<double>(expected_, rule_).worst);
  rule_.arithmetic.flushes_subnormals = false;
  rule_.arithmetic.eta_sum = 1e-30;
  rule_.arithmetic.u_sum = 0x1p-10;  // now it is rounding
  rule_.arithmetic.u_out = 0x1p-1;
  EXPECT_EQ(compare<double>(expected_, rule_).wrong, 0);
}

TEST_F(LargestRatio, ASumThatMayOverflowShowsNoLostProduct) {
  rule_.arithmetic.overflow_sum = 0;
  got_[0] = 1, got_[1] = 2, got_[2] = 4;
  EXPECT_EQ(compare<double>(expected_, rule_).smallest_fault, std::nullopt);
}

/// Implementations share allowances only where every number is the same.
TEST_F(LargestRatio, EachRuleIsAllowedItsOwn) {
  judge::Allowances<double> allowances(expected_);
  const auto bound = [&](const judge::Rule& rule) { return allowances.of(expected_[0], rule).bound; };
  const std::vector<double> first = bound(rule_);
  judge::Rule wider = rule_, subnormal = rule_, transformed = rule_;
  wider.arithmetic.u_out = 0x1p-8;
  subnormal.arithmetic.flushes_subnormals = true;
  judge::Rule flushing = subnormal, flushing_less = subnormal;
  flushing.flushed.product = 0.5;
  flushing_less.flushed.product = 0.25;
  subnormal.subnormal = true;
  transformed.transform_bounds = {1, 2, 3};
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_EQ(bound(rule_), first);
    EXPECT_EQ(bound(wider), judge::allowance_of(expected_[0], wider).bound);
    EXPECT_EQ(bound(flushing), judge::allowance_of(expected_[0], flushing).bound);
    EXPECT_EQ(bound(flushing_less), judge::allowance_of(expected_[0], flushing_less).bound);
    EXPECT_EQ(bound(subnormal), judge::allowance_of(expected_[0], subnormal).bound);
    EXPECT_EQ(bound(transformed), judge::allowance_of(expected_[0], transformed).bound);
    transformed.transform_bounds = {3, 2, 1};
  }
  EXPECT_NE(bound(wider), first);
  EXPECT_NE(bound(flushing), bound(subnormal));
}

/// What a rule can hide does not depend on what a result is.
TEST_F(LargestRatio, SensitivityIsOfTheRule) {
  const auto sensitivity = [&](std::array<float, 3> got) {
    std::ranges::copy(got, got_);
    const judge::Comparison found = compare<double>(expected_, rule_);
    return std::tuple(found.with_terms, found.blind, found.smallest_fault);
  };
  EXPECT_EQ(sensitivity({1, 2, 4}), std::tuple(3, 0, bound_of(0)));
  EXPECT_EQ(sensitivity({7, 2, 4}), std::tuple(3, 0, bound_of(0)));
}

/// Equality is told of a whole tensor at a glance. Each single element counts, whatever the layout, and so does -0.
TEST_F(LargestRatio, WhatIsRoundedToTheOtherNeighbourIsCounted) {
  rule_.kind = judge::Rule::Kind::kExact;
  expected_[0].value = {1 + 0x1p-25, 2, 4};  // between 1 and 1 + 2^-23
  const auto misrounded = [&](std::array<float, 3> got) {
    std::ranges::copy(got, got_);
    const judge::Comparison result = compare<double>(expected_, rule_);
    return std::pair(result.wrong, result.misrounded);
  };
  EXPECT_EQ(misrounded({1, 2, 4}), std::pair(0L, 0L));
  EXPECT_EQ(misrounded({1 + 0x1p-23f, 2, 4}), std::pair(1L, 1L));
  EXPECT_EQ(misrounded({1 + 0x1p-22f, 2, 4}), std::pair(1L, 0L)) << "the neighbour's neighbour";
  EXPECT_EQ(misrounded({1 - 0x1p-24f, 2, 4}), std::pair(1L, 0L)) << "the neighbour on the same side";
  EXPECT_EQ(misrounded({1 + 0x1p-23f, 3, 4}), std::pair(2L, 1L));
}

TEST(OtherNeighbour, IsOfTheType) {
  EXPECT_TRUE(is_other_neighbour(CONVICT_U8, 2.5, 3, 2));
  EXPECT_TRUE(is_other_neighbour(CONVICT_S8, -0.25, 0, -1));
  EXPECT_FALSE(is_other_neighbour(CONVICT_U8, 2.5, 3, 1));
  EXPECT_FALSE(is_other_neighbour(CONVICT_U8, 3, 3, 2)) << "nothing is rounded";
  EXPECT_TRUE(is_other_neighbour(CONVICT_F16, 2049, 2048, 2050));
  EXPECT_FALSE(is_other_neighbour(CONVICT_F32, 2049, 2048, 2050));
  EXPECT_TRUE(is_other_neighbour(CONVICT_BF16, 257, 256, 258));
  EXPECT_FALSE(is_other_neighbour(CONVICT_F16, 65519, 65504, HUGE_VAL)) << "an overflow is none";
}

TEST(Equality, MissesNoElement) {
  for (const char* line :
       {"conv2d n=2 oc=3 in=4x5", "conv2d n=2 oc=3 in=4x5 lay=nhwc:oihw:nhwc view=dst", "conv1d in=1"}) {
    const Case c = parse_case(line);
    convict_tensors tensors = describe_tensors(c, resolve_valid(c));
    std::vector<float> storage(static_cast<size_t>(buffer_count(tensors.dst)));
    tensors.dst.data = storage.data() + tensors.dst.offset;
    std::vector<judge::Expected<double>> expected(1);
    expected[0].role = "dst";
    expected[0].tensor = &tensors.dst;
    expected[0].taps = {std::vector<int64_t>(4, 1), std::vector<int64_t>(4, 1), std::vector<int64_t>(5, 1)};
    std::vector<float*> elements;
    for_each_element<float>(tensors.dst, [&](float& element, const int64_t*) {
      element = static_cast<float>(elements.size() % 3);
      expected[0].value.push_back(element);
      elements.push_back(&element);
    });
    judge::Rule rule;
    rule.kind = judge::Rule::Kind::kExact;
    EXPECT_TRUE(judge::compare<double>(expected, rule).agrees());
    for (size_t i = 0; i < elements.size(); ++i) {
      const float right = *elements[i];
      for (const float wrong : {std::nextafter(right, 9.0f), -1 - right, std::numeric_limits<float>::quiet_NaN()}) {
        *elements[i] = wrong;
        const judge::Comparison found = judge::compare<double>(expected, rule);
        EXPECT_EQ(found.wrong + found.unwritten, 1) << line << " " << i << " " << wrong;
        ASSERT_TRUE(found.offender);
        EXPECT_EQ(found.offender->index, i);
      }
      *elements[i] = -right;
      EXPECT_EQ(judge::compare<double>(expected, rule).minus_zeros.size(), right == 0 ? 1u : 0u);
      *elements[i] = right;
    }
  }
}

}  // namespace
}  // namespace convict

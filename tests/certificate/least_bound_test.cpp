// SPDX-License-Identifier: Apache-2.0
#include "certificate/least_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace convict {
namespace {

constexpr certificate::SumTypes kFloats = {{CONVICT_F32, CONVICT_F32}, CONVICT_F32, CONVICT_F32, true};

judge::ExactElement sum_of(int64_t terms, long double value = 0) {
  judge::ExactElement exact;
  exact.terms = exact.nonzero = terms;
  exact.magnitude = 1;
  exact.sum = exact.value = value;
  return exact;
}

/// The roundings that a bound with u = 2^-24 and S = 1 stands for, to first order.
double roundings(Bound name, const certificate::SumTypes& types, int64_t terms) {
  return std::round(certificate::least_bound(name, types, sum_of(terms)).value() * 0x1p24);
}

TEST(LeastBound, CountsTheRoundingsOfATerm) {
  for (const auto& [terms, any, blocked, pairwise] :
       {std::array{1, 1, 1, 1}, {2, 2, 2, 2}, {9, 9, 5, 5}, {64, 64, 15, 7}}) {
    EXPECT_EQ(roundings(Bound::kGamma, kFloats, terms), any);
    EXPECT_EQ(roundings(Bound::kGammaBlocked, kFloats, terms), blocked);
    EXPECT_EQ(roundings(Bound::kGammaPairwise, kFloats, terms), pairwise);
  }
}

/// b - 1 additions in a block, ceil(n/b) - 1 of blocks, and the product.
TEST(LeastBound, OfBlocksIsThatOfTheBestBlock) {
  for (int64_t n = 1; n <= 300; ++n) {
    int64_t best = n;
    for (int64_t block = 1; block <= n; ++block) best = std::min(best, block + (n + block - 1) / block - 1);
    EXPECT_EQ(roundings(Bound::kGammaBlocked, kFloats, n), static_cast<double>(best)) << n;
  }
}

TEST(LeastBound, ExactProductsAreNotRounded) {
  EXPECT_EQ(roundings(Bound::kGamma, {{CONVICT_F16, CONVICT_F16}, CONVICT_F32, CONVICT_F32, true}, 9), 8);
  EXPECT_EQ(roundings(Bound::kGamma, {{CONVICT_BF16, CONVICT_F16}, CONVICT_F32, CONVICT_F32, true}, 9), 8);
  EXPECT_EQ(roundings(Bound::kGamma, {{CONVICT_BF16, CONVICT_F32}, CONVICT_F32, CONVICT_F32, true}, 9), 9);
  EXPECT_EQ(roundings(Bound::kGamma, {{CONVICT_F32, CONVICT_F32}, CONVICT_F32, CONVICT_F32, false}, 9), 8);
}

TEST(LeastBound, ANarrowOutputIsRoundedOnceMore) {
  const certificate::SumTypes types = {{CONVICT_F32, CONVICT_F32}, CONVICT_F64, CONVICT_F32, true};
  EXPECT_NEAR(certificate::least_bound(Bound::kGamma, types, sum_of(9, -2)).value(), 2 * 0x1p-24 + 8 * 0x1p-53, 1e-25);
  const certificate::SumTypes half = {{CONVICT_F16, CONVICT_F16}, CONVICT_F32, CONVICT_F16, true};
  EXPECT_NEAR(certificate::least_bound(Bound::kGamma, half, sum_of(1, 3)).value(), 3 * 0x1p-11, 1e-12);
}

TEST(LeastBound, IsInfiniteWhereNothingIsProven) {
  EXPECT_TRUE(std::isinf(certificate::least_bound(Bound::kGamma, kFloats, sum_of(1 << 24)).value()));
  EXPECT_FALSE(std::isinf(certificate::least_bound(Bound::kGammaPairwise, kFloats, sum_of(1 << 24)).value()));
}

TEST(LeastBound, OfATransformIsThatOfTheBestDirectSum) {
  for (const Bound bound : {Bound::kWinograd, Bound::kFft, Bound::kSpecialValues})
    for (const int64_t n : {1, 9, 64})
      EXPECT_EQ(roundings(bound, kFloats, n), roundings(Bound::kGammaPairwise, kFloats, n)) << name_of(bound);
}

/// Four terms of 1/4 add up to 1, and to partial sums of 1/4, 2/4, 3/4 and 1: the bound knows the last one only.
TEST(LeastBound, OfRoundingsAtRandomHoldsForEveryOrder) {
  const double u = 0x1p-24, real = 7.53 * u * std::sqrt((1 + 4 + 9 + 16) / 16.0 + 4 / 16.0);
  const double least = certificate::least_bound(Bound::kStatistical, kFloats, sum_of(4, 1)).value();
  EXPECT_NEAR(least, 7.53 * u * std::sqrt(1 + 1 / 4.0), 1e-3 * u);
  EXPECT_LE(least, real);
}

TEST(LeastBound, IsUnknownForWhatIsNoSum) {
  for (const Bound bound : {Bound::kEquality, Bound::kTolerance, Bound::kUnknown})
    EXPECT_FALSE(certificate::least_bound(bound, kFloats, sum_of(9))) << name_of(bound);
}

TEST(LeastBound, RoundsToTheNearestOnce) {
  // Just above half a step of f32 over 1; a double cannot tell it from a tie, which would go down.
  EXPECT_EQ(certificate::nearest(CONVICT_F32, 1 + 0x1p-24L + 0x1p-60L), 1 + 0x1p-23);
  EXPECT_EQ(certificate::nearest(CONVICT_F16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(certificate::nearest(CONVICT_BF16, 257), 256);
}

}  // namespace
}  // namespace convict

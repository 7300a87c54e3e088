// SPDX-License-Identifier: Apache-2.0
//
// The theorem of overflow against every order of summation there is of a few terms: what some order gives is in reach,
// and what is in reach but for roundings, some order gives.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "abi/element.h"
#include "certificate/least_bound.h"
#include "core/random.h"
#include "judge/bounds.h"

namespace convict {
namespace {

/// All that the terms become in some order, in a type where `nearest` rounds: binary trees over every set of terms.
template <class Nearest>
std::vector<double> results_of(const std::vector<double>& terms, const Nearest& nearest) {
  const size_t sets = size_t{1} << terms.size();
  std::vector<std::set<double>> of_set(sets);
  std::vector<bool> may_be_nan(sets);
  for (size_t set = 1; set < sets; ++set) {
    for (size_t i = 0; i < terms.size(); ++i)
      if (set == size_t{1} << i) of_set[set].insert(nearest(terms[i]));
    for (size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      if (part < (set ^ part)) continue;  // each pair once
      if (may_be_nan[part] || may_be_nan[set ^ part]) may_be_nan[set] = true;
      for (const double a : of_set[part])
        for (const double b : of_set[set ^ part])
          if (const double sum = nearest(a + b); std::isnan(sum))
            may_be_nan[set] = true;
          else
            of_set[set].insert(sum);
    }
  }
  std::vector<double> results(of_set.back().begin(), of_set.back().end());
  if (may_be_nan.back()) results.push_back(NAN);
  return results;
}

double in_f16(double value) { return rounded_to(CONVICT_F16, value); }

/// Terms of f16 whose sums are about the largest number of it, of one sign or of both.
std::vector<double> drawn_terms(Random& random) {
  std::vector<double> terms;
  const int64_t count = random.between(1, 5);
  const double sizes[] = {1000, 15000, 33000, 65504}, size = random.pick(std::span<const double>(sizes));
  const bool mixed = random.chance(0.6);
  for (int64_t i = 0; i < count; ++i) {
    const double term = in_f16(size * (random.chance(0.3) ? 1 : random.uniform()));
    terms.push_back(mixed && random.chance(0.5) ? -term : term);
  }
  return terms;
}

struct Summed {
  judge::Sum sum;
  judge::ExactElement exact;
};

Summed summed(const std::vector<double>& terms) {
  Summed all;
  for (const double term : terms) all.sum.exact += term, all.sum.magnitude += std::abs(term);
  all.sum.products = all.sum.window = static_cast<int64_t>(terms.size());
  all.exact.sum = all.exact.value = all.sum.exact;
  all.exact.magnitude = all.sum.magnitude;
  all.exact.positive = (all.sum.magnitude + all.sum.exact) / 2;
  all.exact.negative = (all.sum.magnitude - all.sum.exact) / 2;
  all.exact.terms = all.sum.products;
  return all;
}

judge::Arithmetic half_sums() {
  const convict_contract any = {CONVICT_DIRECT, CONVICT_F16, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0};
  judge::Arithmetic arithmetic = judge::arithmetic_of(any, CONVICT_F16, CONVICT_F16, CONVICT_F16);
  arithmetic.u_product = 0;  // the terms are no products here
  return arithmetic;
}

bool is_in(const judge::Reach& reach, double result) {
  if (std::isnan(result)) return reach.nan;
  return std::isinf(result) ? reach.holds_infinity(std::signbit(result)) : reach.number;
}

TEST(Overflow, WhatSomeOrderGivesIsInReach) {
  const judge::Arithmetic half = half_sums();
  Random random(1, 1);
  int infinite = 0, no_number = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::vector<double> terms = drawn_terms(random);
    const Summed all = summed(terms);
    const judge::Reach reach = reach_of(half, all.sum, error_before_overflow(half, all.sum, 0x1p-53));
    const double bound = direct_bound(half, all.sum, 0x1p-53);
    std::vector<double> results = results_of(terms, in_f16);
    results.push_back(in_f16(all.sum.exact));  // a sum in a wider type
    for (const double result : results) {
      ASSERT_TRUE(is_in(reach, result)) << testing::PrintToString(terms) << " may be " << result;
      ASSERT_TRUE(!std::isfinite(result) || std::abs(result - all.sum.exact) <= bound);
      infinite += std::isinf(result) ? 1 : 0;
    }
    no_number += reach.number ? 0 : 1;
  }
  EXPECT_GT(infinite, 1000);
  EXPECT_GT(no_number, 500);
}

/// Sums of whole multiples of 64 below 2^17 round nothing in 11 bits, so orders differ by overflow alone.
TEST(Overflow, WhatIsInReachSomeOrderGives) {
  const judge::Arithmetic half = half_sums();
  Random random(2, 1);
  int seen[2] = {0, 0};
  for (int i = 0; i < 3000; ++i) {
    std::vector<double> terms(static_cast<size_t>(random.between(1, 5)));
    for (double& term : terms) term = 64 * static_cast<double>(random.between(-1023, 1023));
    const Summed all = summed(terms);
    const judge::Reach reach = reach_of(half, all.sum, error_before_overflow(half, all.sum, 0x1p-53));
    std::vector<double> results = results_of(terms, in_f16);
    results.push_back(in_f16(all.sum.exact));
    const auto some = [&](auto kind) { return std::ranges::any_of(results, kind); };
    const double above = (all.sum.magnitude + all.sum.exact) / 2, below = (all.sum.magnitude - all.sum.exact) / 2;
    const auto is_near = [](double size) { return size > 65000 && size < 66100; };  // where roundings would decide
    if (is_near(above) || is_near(below) || is_near(std::abs(all.sum.exact))) continue;
    EXPECT_EQ(reach.infinity, some([](double one) { return one == HUGE_VAL; })) << testing::PrintToString(terms);
    EXPECT_EQ(reach.minus_infinity, some([](double one) { return one == -HUGE_VAL; })) << testing::PrintToString(terms);
    EXPECT_EQ(reach.number, some([](double one) { return std::isfinite(one); })) << testing::PrintToString(terms);
    EXPECT_TRUE(reach.nan || !some([](double one) { return std::isnan(one); }));
    ++seen[reach.number ? 1 : 0];
  }
  EXPECT_GT(seen[0], 100);
  EXPECT_GT(seen[1], 100);
}

/// The checker's own theorem refutes nothing that the judge convicts, and holds whatever some order gives.
TEST(Overflow, JudgeAndCheckerAgree) {
  const judge::Arithmetic half = half_sums();
  const certificate::SumTypes types = {{CONVICT_F16, CONVICT_F16}, CONVICT_F16, CONVICT_F16, false};
  Random random(3, 1);
  for (int i = 0; i < 5000; ++i) {
    const std::vector<double> terms = drawn_terms(random);
    const Summed all = summed(terms);
    const double bound = direct_bound(half, all.sum, 0x1p-53);
    const judge::Reach reach = reach_of(half, all.sum, error_before_overflow(half, all.sum, 0x1p-53));
    const certificate::Reachable checker = certificate::reachable(Bound::kGamma, types, all.exact, bound);
    EXPECT_LE(checker.number, reach.number);
    EXPECT_LE(checker.infinity, reach.infinity);
    EXPECT_LE(checker.minus_infinity, reach.minus_infinity);
    EXPECT_LE(checker.nan, reach.nan);
    for (const double result : results_of(terms, in_f16))
      EXPECT_TRUE(is_in({checker.number, checker.infinity, checker.minus_infinity, checker.nan}, result))
          << testing::PrintToString(terms) << " may be " << result;
  }
}

}  // namespace
}  // namespace convict

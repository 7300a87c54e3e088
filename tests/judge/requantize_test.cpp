// SPDX-License-Identifier: Apache-2.0
//
// Multipliers and shifts: the arithmetic of the specifications on numbers worked out by hand, and the same answers from
// the code that checks certificates.
#include "judge/quantized.h"

#include <gtest/gtest.h>

#include <cmath>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/geometry.h"
#include "examine/scene.h"
#include "generate/generate.h"
#include "judge/compare.h"
#include "judge/element_evaluation.h"
#include "judge/reference.h"

namespace convict {
namespace {

constexpr int64_t kHalf = int64_t{1} << 30, kNearlyOne = 2 * kHalf - 1;  // the multiplier for 1/2, and the largest

std::optional<int64_t> requantized(convict_requantization kind, int64_t sum, int64_t multiplier, int shift,
                                   bool is_wide = false) {
  return judge::Requantizer{kind, is_wide, multiplier, shift}(sum);
}

TEST(Requantize, OneRoundingTakesHalvesUpward) {
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, 5, kHalf, 0), 3);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, -5, kHalf, 0), -2);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, 5, kHalf, -1), 1);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, -6, kHalf, -1), -1);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, 3, kHalf, 3), 12);
}

TEST(Requantize, TwoRoundingsTakeHalvesUpwardAndThenAwayFromZero) {
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, 5, kHalf, 0), 3);
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, -5, kHalf, 0), -2) << "there is no second rounding";
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, 5, kHalf, -1), 2) << "1.25, but 2.5 is 3, and 1.5 is 2";
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, -6, kHalf, -1), -2);
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, 6, kHalf, -1), 2);
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, 3, kHalf, 3), 12);
}

TEST(Requantize, ToEvenTakesHalvesToEven) {
  EXPECT_EQ(requantized(CONVICT_ROUNDING_TO_EVEN, 5, kHalf, 0), 2);
  EXPECT_EQ(requantized(CONVICT_ROUNDING_TO_EVEN, -5, kHalf, 0), -2);
  EXPECT_EQ(requantized(CONVICT_ROUNDING_TO_EVEN, 7, kHalf, 0), 4);
  EXPECT_EQ(requantized(CONVICT_ROUNDING_TO_EVEN, -6, kHalf, -1), -2);
}

TEST(Requantize, WideSumsKeepSixteenBitsOfTheMultiplier) {
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, 100'000, kNearlyOne, 0, /*is_wide=*/true), 99'997);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, 100'000, kNearlyOne, 0), 100'000);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, -(int64_t{1} << 40), kHalf, -19, true), -(1 << 20));
}

TEST(Requantize, SaysNothingWhereANumberOnTheWayMayNotFit) {
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, int64_t{1} << 31, kHalf, -20), std::nullopt);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, int64_t{1} << 30, kHalf, 2), std::nullopt);
  EXPECT_EQ(requantized(CONVICT_DOUBLE_ROUNDING, int64_t{1} << 20, kHalf, 12), std::nullopt);
  EXPECT_EQ(requantized(CONVICT_SINGLE_ROUNDING, int64_t{1} << 48, kHalf, -30, true), std::nullopt);
  EXPECT_TRUE(requantized(CONVICT_SINGLE_ROUNDING, (int64_t{1} << 31) - 1, kNearlyOne, -31).has_value());
}

/// The reference of one case.
struct RequantizedCase {
  explicit RequantizedCase(const Case& c) : p(resolve_valid(c)) {
    examine::Scene(c).set(memory);
    expected = compute_reference<double>(p, memory.ours(), judge::Detail::kValues);
  }
  const judge::Expected<double>& dst() const { return expected.front(); }

  convict_problem p;
  run::GuardedMemory memory;
  std::vector<judge::Expected<double>> expected;
};

/// The first requantized cases of the profile, with all kinds among them.
std::vector<Case> sampled(size_t count) {
  std::vector<Case> list;
  for (uint64_t i = 0; list.size() < count; ++i)
    if (const Case c = generate::generate(generate::find_profile("int8"), 5, i); c.requant != Requant::kNone)
      list.push_back(c);
  return list;
}

TEST(Requantize, TheCheckerOfCertificatesComputesTheSame) {
  int64_t compared = 0;
  for (const Case& c : sampled(600)) {
    const RequantizedCase solved(c);
    size_t i = 0;
    with_type(c.dst_type, [&](auto zero) {
      for_each_element<decltype(zero)>(solved.memory.ours().dst, [&](const auto&, const int64_t* at) {
        const size_t index = i++;
        if (index % 7 != 0) return;  // each walks all its terms
        const auto dims = static_cast<size_t>(solved.memory.ours().dst.ndim);
        const judge::ExactElement exact = judge::evaluate_element(solved.p, solved.memory.ours(), "dst", {at, dims});
        ASSERT_EQ(std::isinf(exact.rounding), std::isinf(solved.dst().roundings[index])) << to_text(c);
        if (std::isinf(exact.rounding)) return;
        ASSERT_EQ(exact.right, solved.dst().right[index]) << to_text(c) << " element " << index;
        ASSERT_NEAR(static_cast<double>(exact.sum), solved.dst().value[index], 1e-9 * (1 + exact.magnitude));
        ++compared;
      });
    });
  }
  EXPECT_GT(compared, 5'000);
}

TEST(Requantize, ResultsAreSpreadOverTheirTypeAndJudged) {
  double all = 0, ends = 0, zeros = 0, open = 0;  // of cases: a single large one does not decide
  for (const Case& c : sampled(600)) {
    const RequantizedCase solved(c);
    const std::vector<double>& right = solved.dst().right;
    if (right.empty()) continue;
    const auto share_of = [&](const auto& is) {
      int64_t count = 0;
      for (size_t i = 0; i < right.size(); ++i) count += is(i) ? 1 : 0;
      return static_cast<double>(count) / static_cast<double>(right.size());
    };
    ++all;
    open += share_of([&](size_t i) { return std::isinf(solved.dst().roundings[i]); });
    ends += share_of([&](size_t i) { return right[i] == solved.p.clamp_low || right[i] == solved.p.clamp_high; });
    zeros += share_of([&](size_t i) { return right[i] == solved.p.dst_zero_point; });
  }
  EXPECT_LT(open, all / 100);
  EXPECT_LT(ends, all / 2);
  EXPECT_LT(zeros, all / 2);
}

TEST(Requantize, OneUnitInTheLastPlaceIsWrong) {
  for (const char* line : {"conv2d ic=4 oc=8 in=8 k=3 bias dt=s8 scale=channel requant=double",
                           "conv2d ic=4 oc=8 in=8 k=3 dt=u8:s8:u8 zp=3:200 relu scale=tensor requant=even",
                           "conv2d ic=4 oc=8 in=8 k=3 bias dt=s16:s8:s16 scale=channel requant=single fill=normal"}) {
    const Case c = parse_case(line);
    const RequantizedCase solved(c);
    judge::Rule rule;
    rule.kind = judge::Rule::Kind::kQuantized;
    rule.bound = Bound::kQuantized;
    const auto wrong_if = [&](size_t changed) {
      with_type(c.dst_type, [&](auto zero) {
        size_t i = 0;
        for_each_element<decltype(zero)>(solved.memory.ours().dst, [&](auto& element, const int64_t*) {
          const double right = solved.dst().right[i];
          element = element_of<decltype(zero)>(i++ == changed ? (right > 0 ? right - 1 : right + 1) : right);
        });
      });
      return compare<double>(solved.expected, rule);
    };
    EXPECT_TRUE(wrong_if(SIZE_MAX).agrees()) << line;
    const judge::Comparison off = wrong_if(3);
    EXPECT_EQ(off.wrong, 1) << line;
    EXPECT_EQ(off.offender->right, solved.dst().right[3]) << line;
    EXPECT_EQ(off.offender->bound, 0) << line;
  }
}

}  // namespace
}  // namespace convict

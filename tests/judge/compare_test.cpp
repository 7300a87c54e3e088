// SPDX-License-Identifier: Apache-2.0
//
// What a comparison notes of errors beside right and wrong.
#include "judge/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"

namespace convict {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

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
    rule_.arithmetic.largest_sum = 1e30;
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
  EXPECT_EQ(ratio_of({kInfinity, 2, 4}), HUGE_VAL);
}

TEST_F(LargestRatio, IsOfBoundsOnly) {
  rule_.kind = judge::Rule::Kind::kExact;
  EXPECT_EQ(ratio_of({1, 3, 4}), std::nullopt);
  rule_.kind = judge::Rule::Kind::kTolerance;
  rule_.absolute = 0.5;
  EXPECT_EQ(ratio_of({1, 2.25, 4}), std::nullopt);
  rule_.kind = judge::Rule::Kind::kBound;
  rule_.arithmetic.largest_sum = 0;  // partial sums may overflow: nothing is proven
  EXPECT_EQ(ratio_of({1, 3, 4}), std::nullopt);
  rule_.arithmetic.largest_sum = 1e30;
  rule_.kind = judge::Rule::Kind::kSpecial;
  expected_[0].value = {HUGE_VAL, NAN, 4};
  EXPECT_EQ(ratio_of({kInfinity, std::nanf(""), 4}), 0) << "of the finite one";
}

}  // namespace
}  // namespace convict

// SPDX-License-Identifier: Apache-2.0
//
// Sums that leave their accumulator: what no order of summation gives is wrong, and what some order gives is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/geometry.h"
#include "core/layout.h"
#include "core/names.h"
#include "core/random.h"
#include "generate/generate.h"
#include "generate/profile.h"
#include "tests/examine/twisted.h"

namespace convict {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max(), kInfinite = std::numeric_limits<float>::infinity();
constexpr const char* kOneProduct = "conv1d in=3 fill=special seed=6";  // one output is the product of 2^100 and 2^100

/// An infinite result becomes something else.
Twist infinities(float instead) {
  return each([=](float x) { return std::isinf(x) ? std::copysign(instead, x) : x; });
}

TEST(Overflow, OfOneProductIsKnown) {
  EXPECT_TRUE(examined(direct(), kOneProduct).mismatches.empty());
  for (const float instead : {42.0f, 0.0f, kLargest, std::nanf("")})
    EXPECT_FALSE(examined(Twisted(infinities(instead)), kOneProduct).mismatches.empty()) << instead;
  const Twist turned = each([](float x) { return std::isinf(x) ? -x : x; });
  EXPECT_FALSE(examined(Twisted(turned), kOneProduct).mismatches.empty());
}

TEST(Overflow, OfOneProductIsConfirmedByTheChecker) {
  for (const float instead : {42.0f, 0.0f, kLargest, std::nanf("")}) {
    const auto found = examined(Twisted(infinities(instead)), kOneProduct).mismatches;
    ASSERT_FALSE(found.empty()) << instead;
    EXPECT_TRUE(checked(found.front()).confirmed()) << instead;
    Mismatch framed = found.front();  // of the result that is right
    framed.certificate.element.got = Decimal{HUGE_VAL};
    framed.certificate.element.got_hex = Hexadecimal{HUGE_VAL};
    EXPECT_TRUE(checked(framed).refuted()) << instead;
  }
}

/// Kernels that are right in every type and order, and one that saturates.
TEST(Overflow, SaturationIsSeenInCampaigns) {
  const generate::Profile* profile = generate::find_profile("smoke");
  int saturated = 0, cases = 0;
  for (uint64_t i = 0; i < 3000; ++i) {
    Case c = generate::generate(profile, 5, i);
    c.fill = Fill::kSpecial;
    c.before = {};  // which may have other types
    if (c.src_type != CONVICT_F32 || c.wei_type != CONVICT_F32 || c.dst_type != CONVICT_F32) continue;
    if (c.pass != CONVICT_FORWARD || resolve(c).why_not || (mix(c.seed) % 4) != 0) continue;  // products that overflow
    ++cases;
    EXPECT_TRUE(examined(direct(), to_text(c)).mismatches.empty()) << to_text(c);
    saturated += examined(Twisted(infinities(kLargest)), to_text(c)).mismatches.empty() ? 0 : 1;
  }
  EXPECT_GT(saturated, cases / 20) << cases;
}

/// A result of an f16 sum in f32 that is exactly s; got is what somebody wrote.
struct Written {
  double s, got;
  bool is_right;
};

class Threshold : public testing::TestWithParam<Written> {};

/// One product, 2^-11 of which is more than half a unit of the largest number of f16: 65504 + 16.
TEST_P(Threshold, OfTheOutputIsHalfAUnitAboveItsLargestNumber) {
  const Case c = parse_case("conv1d in=1 dt=f16 fill=normal");
  const convict_problem p = resolve_valid(c);
  convict_tensors tensors = describe_tensors(c, p);
  Half got = to_half(GetParam().got);
  tensors.dst.data = &got;
  judge::Expected<double> output;
  output.role = "dst";
  output.tensor = &tensors.dst;
  output.value = output.magnitude = {GetParam().s};
  output.magnitude[0] = std::abs(GetParam().s);
  output.taps = {std::vector<int64_t>{1}, {1}, {1}};
  output.window = 1;
  const convict_contract contract = {CONVICT_DIRECT, CONVICT_F32, 0, 0, 0, 1, CONVICT_FIXED_ORDER, 0, 0, 0};
  const judge::Rule rule = examine::rule_of_bounds(c, contract);
  EXPECT_EQ(compare<double>(std::span(&output, 1), rule).wrong, GetParam().is_right ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(Overflow, Threshold,
                         testing::Values(Written{65472, 65472, true}, Written{65472, HUGE_VAL, false},
                                         Written{65500, 65504, true}, Written{65500, HUGE_VAL, false},
                                         Written{65519, 65504, true}, Written{65519, HUGE_VAL, false},
                                         Written{65521, HUGE_VAL, true}, Written{65521, 65504, false},
                                         Written{70000, HUGE_VAL, true}, Written{70000, 65504, false},
                                         Written{-65521, -HUGE_VAL, true}, Written{-65521, HUGE_VAL, false},
                                         Written{-65519, -HUGE_VAL, false}));

}  // namespace
}  // namespace convict

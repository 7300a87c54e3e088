// SPDX-License-Identifier: Apache-2.0
//
// Where nothing can be rounded, equality is demanded: by the accumulator that results, whatever the contract names.
#include <gtest/gtest.h>

#include "core/names.h"
#include "tests/examine/twisted.h"

namespace convict {
namespace {

/// The correct kernel with a contract whose sums may be as narrow as this.
Twisted declaring(convict_dtype accumulator, Twist twist = [](const auto&, const auto&) {}) {
  Twisted result(twist);
  result.contract.min_accumulator = accumulator;
  return result;
}

TEST(Equality, IsDemandedOfTheAccumulatorThatResults) {
  const std::string line = "conv2d ic=600 oc=2 in=4 k=3 p=1 fill=structured";
  const Twist sixteenth = [](const convict_problem&, const convict_tensors& t) {
    *static_cast<float*>(t.dst.data) += 0x1p-4f;
  };
  for (const convict_dtype type : {CONVICT_F32, CONVICT_F16, CONVICT_BF16}) {
    EXPECT_TRUE(examined(declaring(type), line).mismatches.empty()) << type_name(type);
    const auto found = examined(declaring(type, sixteenth), line).mismatches;
    ASSERT_FALSE(found.empty()) << type_name(type);
    EXPECT_EQ(found.front().verdict, Verdict::kWrongExact);
    EXPECT_TRUE(checked(found.front()).confirmed());
  }
}

/// One element of a 16-bit output by one unit in its last place.
void next_half(const convict_problem&, const convict_tensors& t) { ++*static_cast<uint16_t*>(t.dst.data); }

/// A comb has one product an output, so nothing is rounded among 3,000 zeros.
TEST(Equality, OfACombHoldsIn16BitSumsOfAnyLength) {
  for (const std::string type : {"f16", "bf16"})
    for (const std::string rest : {"", " bias"})
      for (const std::string seed : {"1", "2", "3"}) {
        const std::string line = "conv1d ic=3000 oc=3 in=5 k=2 dt=" + type + " fill=comb seed=" + seed + rest;
        const convict_dtype sums = type == "f16" ? CONVICT_F16 : CONVICT_BF16;
        EXPECT_TRUE(examined(declaring(sums), line).mismatches.empty()) << line;
        const auto found = examined(declaring(sums, next_half), line).mismatches;
        ASSERT_FALSE(found.empty()) << line;
        EXPECT_TRUE(checked(found.front()).confirmed()) << line;
        EXPECT_EQ(found.front().verdict, rest.empty() ? Verdict::kWrongExact : found.front().verdict) << line;
      }
}

/// Small whole numbers whose sums stay below 2^11 and 2^8.
TEST(Equality, OfSmallWholeNumbersHoldsIn16BitSums) {
  for (const std::string type : {"f16", "bf16"}) {
    const std::string line = "conv1d in=9 k=2 dt=" + type + " fill=ones seed=1";
    const convict_dtype sums = type == "f16" ? CONVICT_F16 : CONVICT_BF16;
    const auto found = examined(declaring(sums, next_half), line).mismatches;
    ASSERT_FALSE(found.empty()) << line;
    EXPECT_EQ(found.front().verdict, Verdict::kWrongExact);
    EXPECT_EQ(found.front().certificate.element.bound_name, Bound::kEquality);
    EXPECT_TRUE(checked(found.front()).confirmed());
  }
}

}  // namespace
}  // namespace convict

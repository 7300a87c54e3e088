// SPDX-License-Identifier: Apache-2.0
//
// Nothing is held against a correct implementation, however it adds up, if it declares no more than it keeps. Those
// that declare more are found. docs/background/bounds.md has the same on 20,000 cases each.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/honest/family/arithmetic.h"
#include "tests/honest/family/family_trial.h"

namespace convict::honest::family {
namespace {

constexpr uint64_t kSeed = 1;

TEST(HonestFamilySums, RoundTo16BitsAsTheTypesDo) {
  Random random(kSeed, 0);
  for (int i = 0; i < 100'000; ++i) {
    const double fraction = static_cast<double>(random.bits() | 1) * 0x1p-63 - 1;  // no tie
    const double half = std::ldexp(fraction, static_cast<int>(random.between(-27, 18))),
                 bfloat = std::ldexp(fraction, static_cast<int>(random.between(-136, 130)));
    ASSERT_EQ(InF16::nearest(half), rounded_to(CONVICT_F16, half)) << half;
    ASSERT_EQ(InBf16::nearest(bfloat), rounded_to(CONVICT_BF16, bfloat)) << bfloat;
  }
}

class HonestFamily : public testing::TestWithParam<convict_dtype> {};

TEST_P(HonestFamily, IsNeverAccused) {
  const auto members = members_with(GetParam());
  ASSERT_GE(members.size(), GetParam() == CONVICT_F32 ? 40u : 12u);
  for (const Record& one : trial_of(members, GetParam(), 400, kSeed)) {
    EXPECT_TRUE(one.verdicts.empty()) << one.who->name << ": " << one.verdicts.begin()->first << " on " << one.first;
    EXPECT_GT(one.nearest, 0) << one.who->name << " rounds nothing";
    EXPECT_LE(one.nearest, 1) << one.who->name;
  }
}

INSTANTIATE_TEST_SUITE_P(SumsIn, HonestFamily, testing::Values(CONVICT_F32, CONVICT_F16, CONVICT_BF16),
                         [](const auto& info) {
                           return info.param == CONVICT_F32 ? "f32" : info.param == CONVICT_F16 ? "f16" : "bf16";
                         });

/// A member of the family that declares another summation.
struct Pretender : convict_implementation {
  Pretender(const convict_implementation& member, convict_summation summation, int block)
      : convict_implementation(member), member_(member) {
    contract.summation = summation;
    contract.sum_block = block;
    run = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t, char* error,
             size_t size) {
      const convict_implementation& one = static_cast<const Pretender*>(self)->member_;
      return one.run(&one, p, t, error, size);
    };
    unsupported = [](const convict_implementation* self, const convict_problem* p, const convict_tensors* t) {
      const convict_implementation& one = static_cast<const Pretender*>(self)->member_;
      return one.unsupported(&one, p, t);
    };
  }
  const convict_implementation& member_;
};

struct Claim {
  const char* member;
  convict_dtype sums;
  convict_summation summation;
  int block;
  std::vector<std::string> verdicts;  // all of them are found
};

void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.member; }

class HonestFamilyPretends : public testing::TestWithParam<Claim> {};

TEST_P(HonestFamilyPretends, ToAContractItDoesNotKeep) {
  const Claim& claim = GetParam();
  for (const convict_implementation* one : members_with(claim.sums)) {
    if (std::string_view(one->name) != claim.member) continue;
    const Pretender pretender(*one, claim.summation, claim.block);
    const convict_implementation* members[] = {&pretender};
    const Record found = trial_of(members, claim.sums, 2000, kSeed).front();
    for (const std::string& verdict : claim.verdicts) EXPECT_TRUE(found.verdicts.contains(verdict)) << verdict;
    return;
  }
  FAIL() << "no such member";
}

const std::vector<std::string> kOfOrder = {"wrong-relation"}, kOfSize = {"wrong-proven"};

INSTANTIATE_TEST_SUITE_P(Claims, HonestFamilyPretends,
                         testing::Values(Claim{"f32:ascending", CONVICT_F32, CONVICT_FIXED_ORDER, 0, kOfOrder},
                                         Claim{"f32:positives-first", CONVICT_F32, CONVICT_FIXED_ORDER, 0, kOfOrder},
                                         Claim{"f32:emptied-when-large", CONVICT_F32, CONVICT_FIXED_ORDER, 0, kOfOrder},
                                         Claim{"bf16:forward", CONVICT_BF16, CONVICT_PAIRWISE, 0, kOfSize}));

/// What an examination of one member finds against it, with other sums declared or as it is.
std::vector<Mismatch> found_on(const std::string& line, const convict_implementation& who) {
  return examine::LocalExaminer{{{&who, true, ""}}}.examine(parse_case(line)).mismatches;
}

/// Runs of one product are no runs of at most 64: their number is part of the promise.
TEST(HonestFamilySums, ArePretendedToHaveFewerRunsThanItHas) {
  const std::string line = "conv2d ic=2000 in=1 dt=bf16 fill=positive";
  for (const convict_implementation* one : members_with(CONVICT_BF16)) {
    EXPECT_TRUE(found_on(line, *one).empty()) << one->name;
    if (std::string_view(one->name) != "bf16:forward") continue;
    const auto found = found_on(line, Pretender(*one, CONVICT_BLOCKED, 64));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().verdict, Verdict::kWrongProven);
  }
}

/// Positive terms first: the partial sums are no random walk, and roundings err by more than those of one.
TEST(HonestFamilySums, ArePretendedToLookAtNoValue) {
  const std::string line = "conv1d ic=4000 in=20 k=6 fill=normal seed=1";
  for (const convict_implementation* one : members_with(CONVICT_F32)) {
    if (std::string_view(one->name) != "f32:positives-first") continue;
    EXPECT_TRUE(found_on(line, *one).empty());
    const auto found = found_on(line, Pretender(*one, CONVICT_FIXED_ORDER, 0));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().verdict, Verdict::kWrongStatistical);
  }
}

}  // namespace
}  // namespace convict::honest::family

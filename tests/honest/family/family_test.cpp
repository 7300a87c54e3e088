// SPDX-License-Identifier: Apache-2.0
//
// Nothing is held against a correct implementation, however it adds up, if it declares no more than it keeps. Those
// that declare more are found. docs/bounds.md has the same on 20,000 cases each.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/honest/family/family_trial.h"

namespace convict::honest::family {
namespace {

constexpr uint64_t kSeed = 1;

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

const std::vector<std::string> kOfOrder = {"wrong-relation"}, kOfSize = {"wrong-proven"},
                               kOfBoth = {"wrong-relation", "wrong-statistical"};

INSTANTIATE_TEST_SUITE_P(Claims, HonestFamilyPretends,
                         testing::Values(Claim{"f32:ascending", CONVICT_F32, CONVICT_FIXED_ORDER, 0, kOfBoth},
                                         Claim{"f32:positives-first", CONVICT_F32, CONVICT_FIXED_ORDER, 0, kOfOrder},
                                         Claim{"f32:emptied-when-large", CONVICT_F32, CONVICT_FIXED_ORDER, 0, kOfOrder},
                                         Claim{"bf16:ragged-runs-9", CONVICT_BF16, CONVICT_BLOCKED, 64, kOfSize},
                                         Claim{"bf16:forward", CONVICT_BF16, CONVICT_PAIRWISE, 0, kOfSize}));

}  // namespace
}  // namespace convict::honest::family

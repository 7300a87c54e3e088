// SPDX-License-Identifier: Apache-2.0
//
// Matrix units, simulated: who declares them is not accused, comes near its bound, and is accused of what is beyond it;
// the same arithmetic undeclared is accused.
#include <gtest/gtest.h>

#include <cstdio>
#include <ostream>
#include <string>

#include "tests/honest/family/family_trial.h"

namespace convict::honest::family {
namespace {

constexpr uint64_t kUnitCases = 300, kUnitSeed = 1;

struct Types {
  convict_dtype operands, result;
};

std::string name_of_types(const Types& types) {
  return fmt::format("{}To{}", type_name(types.operands), type_name(types.result));
}

void PrintTo(const Types& types, std::ostream* out) { *out << name_of_types(types); }

std::vector<Record> trial_of_units(const Types& types, bool lossy, bool declared = true) {
  std::vector<run::Subject> members = on_units(types.operands, lossy);
  for (run::Subject& one : members)
    if (!declared) one.declarations = {};
  return trial_on(std::move(members), kUnitCases,
                  [&](uint64_t index) { return case_of_types(kUnitSeed, index, types.operands, types.result); });
}

class OnUnits : public testing::TestWithParam<Types> {};

TEST_P(OnUnits, TheDeclaredIsNeverAccusedAndComesNearItsBound) {
  double nearest_many = 0;
  for (const Record& one : trial_of_units(GetParam(), false)) {
    EXPECT_TRUE(one.verdicts.empty()) << one.who->name << ": " << one.verdicts.begin()->first << " on " << one.first;
    EXPECT_LE(one.nearest, 1) << one.who->name;
    std::printf("%s, %s: largest error / bound %.3f, of many terms %.3f\n", one.who->name,
                name_of_types(GetParam()).c_str(), one.nearest, one.nearest_many);
    EXPECT_GT(one.nearest, 0.2) << one.who->name;
    nearest_many = std::max(nearest_many, one.nearest_many);
  }
  EXPECT_GT(nearest_many, 0.04) << "the bound says nothing of long sums";
}

/// Short operands always; truncation in few results, and in none of 16 bits, which are rounded by so much more.
TEST_P(OnUnits, TheUndeclaredIsAccused) {
  if (GetParam().result != CONVICT_F32) return;
  uint64_t accused = 0;
  for (const Record& one : trial_of_units(GetParam(), false, /*declared=*/false)) {
    accused += one.verdicts.contains("wrong-proven") ? 1 : 0;
    if (GetParam().operands == CONVICT_F32) {
      EXPECT_TRUE(one.verdicts.contains("wrong-proven")) << one.who->name;
    }
  }
  EXPECT_GT(accused, 0u);
}

TEST_P(OnUnits, AFaultIsAccused) {
  for (const Record& one : trial_of_units(GetParam(), true))
    EXPECT_TRUE(one.verdicts.contains("wrong-proven") || one.verdicts.contains("wrong-exact")) << one.who->name;
}

INSTANTIATE_TEST_SUITE_P(Types, OnUnits,
                         testing::Values(Types{CONVICT_F32, CONVICT_F32}, Types{CONVICT_F16, CONVICT_F32},
                                         Types{CONVICT_F16, CONVICT_F16}, Types{CONVICT_BF16, CONVICT_F32},
                                         Types{CONVICT_BF16, CONVICT_BF16}),
                         [](const auto& info) { return name_of_types(info.param); });

std::vector<Mismatch> found_on(const std::string& line, const run::Subject& who) {
  return examine::LocalExaminer{{who}}.examine(parse_case(line)).mismatches;
}

/// What has no more bits than operands keep is judged by equality.
TEST(OnUnits, WholeNumbersOfFewBitsAreExact) {
  for (run::Subject& one : on_units(CONVICT_F32, false)) {
    one.is_target = true;
    for (const char* fill : {"int", "comb", "ones", "sparse", "structured", "large_sums", "subnormal"})
      EXPECT_TRUE(found_on("conv2d ic=5 oc=3 in=9 k=3 p=1 bias fill=" + std::string(fill), one).empty())
          << one.name << " " << fill;
  }
  for (run::Subject& one : on_units(CONVICT_F32, true)) {
    one.is_target = true;
    if (!one.name.ends_with("drops")) continue;
    const auto found = found_on("conv2d ic=5 oc=3 in=9 k=3 fill=int", one);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().verdict, Verdict::kWrongExact);
  }
}

}  // namespace
}  // namespace convict::honest::family

// SPDX-License-Identifier: Apache-2.0
//
// Every mutant is alive: guilty on a case inside its trigger and innocent just outside, so that a campaign that does
// not find it has missed something. And the code they share is right.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "certificate/check.h"
#include "core/case_text.h"
#include "core/verdict.h"
#include "examine/pipeline.h"
#include "generate/generate.h"
#include "generate/profile.h"
#include "run/loader.h"
#include "tests/mutants/benchdnn_faults.h"
#include "tests/mutants/public_faults.h"
#include "tests/mutants/quantized_faults.h"
#include "tests/mutants/rare_faults.h"
#include "tests/thorough.h"

namespace convict {
namespace {

using mutants::kBenchdnnFaults;
using mutants::kPublicFaults;
using mutants::kQuantizedFaults;
using mutants::kRareFaults;
using mutants::Mutant;

run::Subject named(const std::string& module, const std::string& name) {
  for (run::Subject one : run::load_plugin(CONVICT_TEST_PLUGINS "/" + module + ".so"))
    if (one.implementation->name == name) {
      one.is_target = true;
      return one;
    }
  throw std::runtime_error(module + " has no " + name);
}

/// One implementation of a module, put on trial in this process.
class Bench {
 public:
  Bench(const std::string& module, const std::string& name) : examiner_{{named(module, name)}} {}

  examine::Examination examine_case(const Case& c) { return examiner_.examine(c); }

 private:
  examine::LocalExaminer examiner_;
};

struct Planted {
  std::string module;
  Mutant mutant;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.mutant.name; }

std::vector<Planted> all_planted() {
  std::vector<Planted> all;
  for (const Mutant& mutant : kPublicFaults) all.push_back({"mutants_p", mutant});
  for (const Mutant& mutant : kBenchdnnFaults) all.push_back({"mutants_b", mutant});
  for (const Mutant& mutant : kQuantizedFaults) all.push_back({"mutants_q", mutant});
  for (const Mutant& mutant : kRareFaults) all.push_back({"mutants_r", mutant});
  return all;
}

class PlantedFault : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, ShowsInsideItsTrigger) {
  const Mutant& mutant = GetParam().mutant;
  const examine::Examination examination =
      Bench(GetParam().module, mutant.name).examine_case(parse_case(mutant.witness));
  EXPECT_FALSE(examination.mismatches.empty()) << mutant.description << "\n" << mutant.witness;
}

TEST_P(PlantedFault, DoesNotShowOutside) {
  const Mutant& mutant = GetParam().mutant;
  const examine::Examination examination =
      Bench(GetParam().module, mutant.name).examine_case(parse_case(mutant.near_miss));
  EXPECT_TRUE(examination.judged) << mutant.near_miss;
  EXPECT_TRUE(examination.mismatches.empty()) << mutant.description << "\n" << mutant.near_miss;
}

/// The independent checker refuses none of the evidence: on the witness, and on what a campaign draws.
TEST_P(PlantedFault, IsConvictedWithEvidenceThatTheCheckerDoesNotRefute) {
  constexpr uint64_t kDrawn = 400;
  Bench bench(GetParam().module, GetParam().mutant.name);
  const generate::Profile* profile =
      generate::find_profile(GetParam().module == "mutants_q" ? "int8" : "smoke");
  std::vector<Case> cases = {parse_case(GetParam().mutant.witness)};
  for (uint64_t i = 0; i < kDrawn; ++i) cases.push_back(generate::generate(profile, 7, i));
  for (const Case& c : cases)
    for (const Mismatch& found : bench.examine_case(c).mismatches) {
      const auto checked = certificate::check_certificate(found.problem_case, found.verdict, found.certificate);
      EXPECT_FALSE(checked.refuted()) << to_text(found.problem_case) << "\n"
                                      << to_json(found).dump(1) << "\n"
                                      << testing::PrintToString(checked.lines);
    }
}

INSTANTIATE_TEST_SUITE_P(Mutants, PlantedFault, testing::ValuesIn(all_planted()),
                         [](const auto& info) { return std::string(info.param.mutant.name); });

class NoFault : public testing::TestWithParam<std::string> {};

/// All modules are built from the same kernel, so one of them says it.
TEST_P(NoFault, IsRightOnEveryKindOfProblem) {
  const generate::Profile* profile = generate::find_profile(GetParam());
  Bench bench("mutants_p", "control");
  const uint64_t all = GetParam() == "long" ? 500 : 3'000;  // large images, and a slow loop nest
  const uint64_t count = test::thorough(all / 3, all);
  for (uint64_t i = 0; i < count; ++i) {
    const Case c = generate::generate(profile, 41, i);
    if (c.requant != Requant::kNone) continue;  // it does not say that it requantizes
    const examine::Examination examination = bench.examine_case(c);
    ASSERT_TRUE(examination.judged) << to_text(c);
    ASSERT_TRUE(examination.mismatches.empty()) << to_text(c) << "\n"
                                                << to_json(examination.mismatches.front()).dump(1);
  }
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const generate::Profile& profile : generate::profiles())
    if (profile.name != "huge-index") names.emplace_back(profile.name);  // gigabytes a case
  return names;
}

std::string as_identifier(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Mutants, NoFault, testing::ValuesIn(profile_names()), as_identifier);

}  // namespace
}  // namespace convict

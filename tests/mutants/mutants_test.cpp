// SPDX-License-Identifier: Apache-2.0
//
// Every mutant is alive: guilty on a case inside its trigger and innocent just outside, so that a campaign that does
// not find it has missed something. And the code they share is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "core/layout.h"
#include "generate/generate.h"
#include "generate/profile.h"
#include "pipeline.h"
#include "run/guarded_call.h"
#include "run/loader.h"
#include "tests/mutants/benchdnn_faults.h"
#include "tests/mutants/public_faults.h"

namespace convict {
namespace {

using mutants::kBenchdnnFaults;
using mutants::kPublicFaults;
using mutants::Live;
using mutants::Mutant;

constexpr double kPlenty = 1e9;  // bytes

Subject named(const std::string& module, const std::string& name) {
  for (const Subject& one : load_plugin(CONVICT_TEST_PLUGINS "/" + module + ".so"))
    if (one.implementation->name == name) return {one.implementation, true, one.version};
  throw std::runtime_error(module + " has no " + name);
}

/// One implementation of a module, put on trial in this process.
class Bench {
 public:
  Bench(const std::string& module, const std::string& name) : target_{named(module, name)} {}

  Examination examine_case(const Case& c) { return examine(c, target_, memory_, record_, kPlenty); }

 private:
  std::vector<Subject> target_;
  GuardedMemory memory_;
  FlightRecord record_;
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
  return all;
}

class PlantedFault : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, ShowsInsideItsTrigger) {
  const Mutant& mutant = GetParam().mutant;
  const Examination examination = Bench(GetParam().module, mutant.name).examine_case(parse_case(mutant.witness));
  EXPECT_EQ(!examination.mismatches.empty(), mutant.live == Live::kShown) << mutant.description << "\n"
                                                                          << mutant.witness;
}

TEST_P(PlantedFault, DoesNotShowOutside) {
  const Mutant& mutant = GetParam().mutant;
  const Examination examination = Bench(GetParam().module, mutant.name).examine_case(parse_case(mutant.near_miss));
  EXPECT_TRUE(examination.judged) << mutant.near_miss;
  EXPECT_TRUE(examination.mismatches.empty()) << mutant.description << "\n" << mutant.near_miss;
}

INSTANTIATE_TEST_SUITE_P(Mutants, PlantedFault, testing::ValuesIn(all_planted()),
                         [](const auto& info) { return std::string(info.param.mutant.name); });

/// One product of hand-made operands, as the implementation computes it.
float multiply(const std::string& module, const std::string& name, float x, float w) {
  const Case c = parse_case("conv2d in=1");
  const convict_problem p = resolve_valid(c);
  GuardedMemory memory;
  FlightRecord record;
  memory.place(p, describe_tensors(c, p), true);
  *static_cast<float*>(memory.ours().src.data) = x;
  *static_cast<float*>(memory.ours().wei.data) = w;
  const Subject subject = named(module, name);
  EXPECT_EQ(call_guarded(*subject.implementation, 0, p, memory, record).kind, Outcome::Kind::kComputed);
  return *static_cast<const float*>(memory.ours().dst.data);
}

TEST(FaultsWithoutAFill, ShowOnHandMadeOperands) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kTiny = 1e-40f;
  struct Product {
    const char *module, *name;
    float x, w, wrong;
  };
  std::set<std::string> shown;
  for (const Product& one : {Product{"mutants_p", "P31", kInfinity, 0, 0},
                             {"mutants_b", "B20", kInfinity, 0, 0},
                             {"mutants_b", "B21", 1, 0, -0.0f},
                             {"mutants_b", "B22", 1, kTiny, 0}}) {
    const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    EXPECT_EQ(bits(multiply(one.module, one.name, one.x, one.w)), bits(one.wrong)) << one.name;
    EXPECT_NE(bits(multiply(one.module, "none", one.x, one.w)), bits(one.wrong)) << one.name;
    shown.insert(one.name);
  }
  for (const Planted& planted : all_planted())
    EXPECT_EQ(shown.contains(planted.mutant.name), planted.mutant.live == Live::kNoFillYet) << planted.mutant.name;
}

class NoFault : public testing::TestWithParam<std::string> {};

/// Both modules are built from the same kernel, so one of them says it.
TEST_P(NoFault, IsRightOnEveryKindOfProblem) {
  const Profile* profile = find_profile(GetParam());
  Bench bench("mutants_p", "none");
  for (uint64_t i = 0; i < 3'000; ++i) {
    const Case c = generate(profile, 41, i);
    const Examination examination = bench.examine_case(c);
    ASSERT_TRUE(examination.judged) << to_text(c);
    ASSERT_TRUE(examination.mismatches.empty()) << to_text(c) << "\n"
                                                << examination.mismatches.front().certificate.dump(1);
  }
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.emplace_back(profile.name);
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

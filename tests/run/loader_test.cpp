// SPDX-License-Identifier: Apache-2.0
//
// What names stand for. A plugin of several implementations and, where they are installed, the oracle modules.
#include "run/loader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "abi/native_kernel.h"
#include "core/error.h"

namespace convict {
namespace {

using Names = std::vector<std::string>;

Names roster(const run::RosterRequest& request) {
  Names names;
  for (const run::Subject& subject : run::load_roster(request, native_kernels()).subjects)
    names.emplace_back(subject.implementation->name);
  return names;
}

Names oracles(const std::string& name) { return roster({{"direct"}, {name}, {}}); }

bool installed(const std::string& module) {
  const Names all = run::installed_modules();
  return std::ranges::find(all, module) != all.end();
}

TEST(Loader, ANameIsOneImplementationIfThereIsOne) {
  if (!installed("onednn")) GTEST_SKIP() << "without oneDNN";
  EXPECT_EQ(oracles("onednn"), (Names{"direct", "onednn"}));
  EXPECT_EQ(oracles("onednn:any"), (Names{"direct", "onednn:any"}));
}

TEST(Loader, AStarIsAWholeModule) {
  if (!installed("onednn")) GTEST_SKIP() << "without oneDNN";
  EXPECT_EQ(oracles("onednn:*"),
            (Names{"direct", "onednn", "onednn:any", "onednn:channels_first", "onednn:channels_last"}));
  EXPECT_EQ(roster({{"direct"}, {"onednn:any", "onednn:*"}, {}}).size(), 5u);  // nobody twice
}

TEST(Loader, AModuleWithoutAnImplementationOfItsNameIsAllOfIt) {
  if (!installed("libtorch")) GTEST_SKIP() << "without LibTorch";
  EXPECT_EQ(oracles("libtorch"), (Names{"direct", "libtorch:native", "libtorch:onednn", "libtorch:qnnpack"}));
  EXPECT_EQ(oracles("libtorch:*"), oracles("libtorch"));
}

TEST(Loader, TheDefaultOraclesAreAllVariantsOfTheModules) {
  if (!installed("libtorch") || !installed("onednn")) GTEST_SKIP() << "without one of them";
  EXPECT_EQ(roster({{"direct"}, {}, {}}),
            (Names{"direct", "libtorch:native", "libtorch:onednn", "libtorch:qnnpack", "onednn:channels_first",
                   "onednn", "onednn:any", "onednn:channels_last"}));
}

TEST(Loader, ADefaultOracleOfTheTargetsLineageIsLeftOut) {
  if (!installed("libtorch") || !installed("onednn")) GTEST_SKIP() << "without one of them";
  EXPECT_EQ(roster({{"onednn:any"}, {}, {}}),
            (Names{"onednn:any", "libtorch:native", "libtorch:onednn", "libtorch:qnnpack"}));
}

TEST(Loader, OraclesTakeTurnsUnlessTheyWereNamed) {
  if (!installed("onednn")) GTEST_SKIP() << "without oneDNN";
  const auto one_of = [](const run::RosterRequest& request, const std::string& name) {
    for (const run::Subject& subject : run::load_roster(request, native_kernels()).subjects)
      if (subject.name == name) return subject.turns;
    return run::Turns{0, 0};
  };
  const run::Turns by_default = one_of({{"direct"}, {}, {}}, "onednn:any");
  EXPECT_EQ(by_default.end - by_default.first, 1);
  EXPECT_FALSE(by_default.contains(run::kTurnOfGivenCases));
  EXPECT_TRUE(one_of({{"direct"}, {}, {}}, "onednn:channels_first").contains(run::kTurnOfGivenCases));
  EXPECT_EQ(by_default.library, 1);
  EXPECT_EQ(one_of({{"direct"}, {}, {}}, "onednn:channels_first").library, 1);
  const run::Turns named = one_of({{"direct"}, {"onednn:any"}, {}}, "onednn:any");
  EXPECT_EQ(named.library, run::kNoLibrary);
  EXPECT_EQ(named.end - named.first, run::kTurns);
}

TEST(Turns, OfTheVariantsOfALibraryAreAllThereAre) {
  std::map<std::string_view, int> sums;
  for (const run::DefaultOracle& oracle : run::kDefaultOracles) sums[run::module_of(oracle.name)] += oracle.turns;
  for (const auto& [module, sum] : sums) EXPECT_EQ(sum, run::kTurns) << module;
}

TEST(Turns, ComeEquallyOften) {
  std::array<int, run::kTurns> times{};
  for (uint64_t seed = 0; seed < 16'000; ++seed) ++times[static_cast<size_t>(run::turn_of(seed, 0))];
  for (const int one : times) EXPECT_NEAR(one, 1000, 150);  // five standard deviations
}

TEST(Turns, OfOneLibrarySayNothingOfThoseOfTheNext) {
  std::array<int, run::kTurns> times{};
  for (uint64_t seed = 0; seed < 256'000; ++seed)
    if (run::turn_of(seed, 0) == 15) ++times[static_cast<size_t>(run::turn_of(seed, 1))];
  for (const int one : times) EXPECT_NEAR(one, 1000, 150);
}

TEST(Loader, UnknownNamesAreRefused) {
  for (const char* name : {"nobody", "nobody:*", ":*", "onednn:", "onednn:nobody", "direct:*x"})
    EXPECT_ANY_THROW(oracles(name)) << name;
}

}  // namespace
}  // namespace convict

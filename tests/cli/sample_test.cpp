// SPDX-License-Identifier: Apache-2.0
//
// `convict sample`, and `convict score --random-faults`.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class SampleTest : public CliTest {};

TEST_F(SampleTest, CountsTheCasesThatMeetAPredicate) {
  const json all = run({"sample", "--profile=smoke", "--cases=2000", "--format=json"}).json();
  EXPECT_EQ(all["cases"], 2000);
  EXPECT_EQ(all["met"], all["legal"]);
  const json some =
      run({"sample", "--profile=smoke", "--cases=2000", "--where=conv2d.forward k>=3", "--speed=100", "--format=json"})
          .json();
  EXPECT_GT(some["met"], 0);
  EXPECT_LT(some["met"], all["met"]);
  EXPECT_EQ(some["features"]["rank"]["2"], some["met"]);
  EXPECT_EQ(some["features"]["rank"]["3"], 0);
  EXPECT_NEAR(some["one_in"].get<double>(), 2000.0 / some["met"].get<double>(), 1e-9);
  EXPECT_NEAR(some["seconds_for_95_percent"].get<double>(), some["cases_for_95_percent"].get<double>() / 100, 1e-9);
}

TEST_F(SampleTest, LevelsHaveSharesOfCasesAndOfTime) {
  const json all = run({"sample", "--profile=smoke", "--cases=2000", "--levels", "--format=json"}).json();
  uint64_t cases = 0, forward = 0;
  double cost = 0, of_ranks = 0;
  for (const auto& [name, operation] : all["operations"].items()) {
    cases += operation["cases"].get<uint64_t>();
    cost += operation["cost"].get<double>();
    forward += operation["features"]["pass"]["forward"]["cases"].get<uint64_t>();
    for (const auto& [rank, share] : operation["features"]["rank"].items()) of_ranks += share["cost"].get<double>();
  }
  EXPECT_EQ(all["operations"].size(), 6u);
  EXPECT_EQ(cases, all["met"]);
  EXPECT_EQ(forward, all["features"]["pass"]["forward"]);
  EXPECT_NEAR(of_ranks, cost, 1e-6 * cost);
  EXPECT_NEAR(all["cost"]["mean"].get<double>() * static_cast<double>(cases), cost, 1e-6 * cost);
  const std::string text = run({"sample", "--profile=smoke", "--cases=2000", "--levels"}).out;
  EXPECT_NE(text.find("conv_transpose.backward_weights"), std::string::npos) << text;
  EXPECT_NE(text.find("levels in less than 2 % of the cases of their operation"), std::string::npos) << text;
}

TEST_F(SampleTest, WhatIsAlwaysMetTakesOneCase) {
  const CommandResult result = run({"sample", "--cases=100", "--profile=smoke", "--where=n>=0"});
  EXPECT_NE(result.out.find("\nmet by every case\n"), std::string::npos) << result.out;
}

TEST_F(SampleTest, WhatIsNeverMetHasABound) {
  const CommandResult result = run({"sample", "--cases=300", "--where=ic>=1000000"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("met by none: at most one in 100 cases"), std::string::npos) << result.out;
}

TEST_F(SampleTest, WrongWordsAreRefused) {
  EXPECT_TRUE(refuses(run({"sample", "--where=nothing=1"}), {"--where", "nothing"}));
  EXPECT_TRUE(refuses(run({"sample", "--profile=smok"}), {"smoke"}));
  EXPECT_TRUE(refuses(run({"score", "--random-faults=5", "--conditions=9..2"}), {"--conditions", "2..6"}));
}

TEST_F(SampleTest, RandomFaultsAreScored) {
  const CommandResult result = run({"score", "--random-faults=6", "--conditions=2..3", "--seeds=1", "--cases=5000",
                                    "--seed=8", "--format=json", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json ladder = result.json()["methods"]["ladder"];
  EXPECT_EQ(ladder["faults"].size(), 6u);
  EXPECT_EQ(ladder["classes"].size(), 2u);
  EXPECT_EQ(ladder["false_alarms"], 0);
  for (const json& fault : ladder["faults"]) EXPECT_EQ(fault["runs"].size(), 1u);
}

}  // namespace
}  // namespace convict::test

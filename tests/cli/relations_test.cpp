// SPDX-License-Identifier: Apache-2.0
//
// How thoroughly `repro` and `replay` check metamorphic relations.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using RelationsTest = CliTest;

/// B27 breaks a relation on this case, and computes the case itself correctly.
constexpr const char* kSmallCase = "conv2d in=5 k=3";

TEST_F(RelationsTest, AreAllCheckedByReproUnlessItIsToldOtherwise) {
  const std::vector<std::string> flags = {"repro", "--plugin=" + plugin("mutants_b"), "--target=B27", "--oracle=none",
                                          kSmallCase};
  std::vector<std::string> none = flags;
  none.push_back("--relations=none");
  const CommandResult all = run(flags);
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_NE(all.out.find("wrong-relation"), std::string::npos) << all.out;
  EXPECT_EQ(run(none).exit_code, 0);
}

TEST_F(RelationsTest, AreCheckedByReplayAsByACampaign) {
  std::string lines;
  for (int seed = 1; seed <= 100; ++seed) lines += std::string(kSmallCase) + " seed=" + std::to_string(seed) + "\n";
  write_file(file("many.cases"), lines);
  const auto failed = [&](const std::string& relations) {
    size_t count = 0;
    const auto report = run({"replay", "--plugin=" + plugin("mutants_b"), "--target=B27", "--oracle=none",
                             "--format=json", "-q", "many.cases", relations})
                            .json();
    for (const auto& one : report["cases"]) count += one["outcome"] == "FAILED" ? 1 : 0;
    return count;
  };
  const size_t all = failed("--relations=all"), one = failed("--relations=one"), none = failed("--relations=none");
  EXPECT_GT(all, one);
  EXPECT_GE(one, none);
  EXPECT_EQ(failed("-j1"), one);
}

TEST_F(RelationsTest, AWrongChoiceIsNamed) {
  EXPECT_TRUE(refuses(run({"repro", kSmallCase, "--relations=some"}), {"--relations", "some", "all"}));
}

}  // namespace
}  // namespace convict::test

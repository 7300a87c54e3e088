// SPDX-License-Identifier: Apache-2.0
//
// Workspaces and code paths of plugins: who treats them well is acquitted, and each way not to is found.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

class AbilitiesTest : public CliTest {
 protected:
  CommandResult fuzz(const std::string& target, const std::string& cases = "300") const {
    return run({"fuzz", "--plugin=" + plugin("scratch"), "--target=" + target, "--oracle=none", "--profile=smoke",
                "--shrink=none", "--cases=" + cases, "--illegal=0", "-q", "--format=json", "--db=" + target + ".db"});
  }
  CommandResult repro(const std::string& target, const std::string& line) const {
    return run({"repro", "--plugin=" + plugin("scratch"), "--target=" + target, "--oracle=none", line});
  }
};

TEST_F(AbilitiesTest, AWorkspaceIsGivenAndGuarded) {
  EXPECT_EQ(fuzz("scratch").exit_code, 0);
  const std::pair<const char*, const char*> faults[] = {
      {"writes-behind", "out-of-bounds"}, {"writes-before", "out-of-bounds"}, {"wants-too-much", "oom"}};
  for (const auto& [name, verdict] : faults) {
    const CommandResult result = fuzz(name, "40");
    EXPECT_EQ(result.exit_code, 1) << name;
    ASSERT_FALSE(result.mismatches().empty()) << name << result.out << result.err;
    EXPECT_EQ(result.mismatches()[0]["verdict"], verdict) << name;
  }
  const CommandResult trusting = repro("trusts-zeros", "conv1d ic=2 in=5 k=3 p=1");
  EXPECT_NE(trusting.out.find("trusts-zeros: wrong-exact"), std::string::npos) << trusting.out;
}

/// The seed decides on which side of the workspace the guard page lies, and on which the slack that is checked.
TEST_F(AbilitiesTest, AWriteBesideTheWorkspaceIsSeenOnEitherSide) {
  for (const char* seed : {"0", "1", "2", "3"})
    for (const char* name : {"writes-behind", "writes-before"}) {
      const CommandResult result = repro(name, std::string("conv1d ic=3 in=7 k=3 seed=") + seed);
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_NE(result.out.find("out-of-bounds"), std::string::npos) << result.out;
      EXPECT_TRUE(result.out.find("operand: workspace") != std::string::npos ||
                  result.out.find("overrun: workspace") != std::string::npos)
          << result.out;
    }
}

TEST_F(AbilitiesTest, HowPaddingWasAskedForIsTold) {
  EXPECT_EQ(fuzz("one-same").exit_code, 1);
  EXPECT_EQ(repro("one-same", "conv1d in=5 k=2 p=same_lower").exit_code, 1);
  EXPECT_EQ(repro("one-same", "conv1d in=5 k=2 p=1:0").exit_code, 0) << "the same numbers";
  EXPECT_EQ(repro("scratch", "conv1d in=5 k=2 p=same_lower").exit_code, 0);
}

TEST_F(AbilitiesTest, EachCodePathIsAnImplementationOfItsOwn) {
  const CommandResult list = run({"list", "--plugin=" + plugin("scratch"), "implementations"});
  EXPECT_NE(list.out.find("scratch:dense"), std::string::npos) << list.out;
  const std::string line = "conv1d g=2 ic=4 oc=2 in=5 k=2";
  const CommandResult all = repro("scratch,scratch:dense,scratch:first_group", line);
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_NE(all.out.find("refused: this path has one group"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("scratch:first_group: wrong-exact"), std::string::npos) << all.out;
  EXPECT_EQ(repro("scratch", line).exit_code, 0);
  EXPECT_EQ(fuzz("scratch:dense").exit_code, 0);
  EXPECT_EQ(fuzz("scratch:first_group").exit_code, 1);
  const CommandResult bench =
      run({"bench", "--plugin=" + plugin("scratch"), "--target=scratch,scratch:dense", "--oracle=none", "--time=1ms",
           "--repetitions=1", "--format=json", "conv1d ic=2 in=9 k=3"});
  EXPECT_EQ(bench.exit_code, 0) << bench.out << bench.err;
  EXPECT_NE(bench.out.find("scratch:dense"), std::string::npos) << bench.out;
}

/// Calls on several threads at once, for other data: from a campaign to the line that shows it again.
TEST_F(AbilitiesTest, CallsAtOnceAreTriedWhereTheyAreAllowed) {
  const auto fuzz_together = [&](const std::string& target) {
    return run({"fuzz", "--plugin=" + plugin("together"), "--target=" + target, "--oracle=none", "--profile=smoke",
                "--where=conv1d.forward and ic=1 and oc=1", "--cases=10000", "--illegal=0", "-q", "--format=json",
                "--shrink=none", "--db=" + target + ".db"});
  };
  EXPECT_EQ(fuzz_together("own-copy").exit_code, 0);
  EXPECT_EQ(fuzz_together("alone").exit_code, 0) << "it does not say that it can";
  const CommandResult shared = fuzz_together("shared-copy");
  EXPECT_EQ(shared.exit_code, 1) << shared.out << shared.err;
  ASSERT_FALSE(shared.mismatches().empty());
  EXPECT_NE(shared.mismatches()[0]["repro"].dump().find(" calls=together"), std::string::npos)
      << "it needs the other threads: " << shared.mismatches()[0].dump(1);
  const std::string line = "conv1d in=9 k=3 calls=";
  // On a busy machine, two threads do not always meet.
  const auto repro_of = [&](const std::string& target, const std::string& calls) {
    return run(
        {"repro", "--times=64", "--plugin=" + plugin("together"), "--target=" + target, "--oracle=none", line + calls});
  };
  EXPECT_EQ(repro_of("shared-copy", "together").exit_code, 1);
  EXPECT_EQ(repro_of("shared-copy", "once").exit_code, 0);
  EXPECT_EQ(repro_of("own-copy", "together").exit_code, 0);
}

/// Steps that were prepared for another batch size or extent: whoever keeps some of that is found by a campaign.
TEST_F(AbilitiesTest, WhatIsPreparedIsReshaped) {
  const auto fuzz_reshaped = [&](const std::string& target) {
    // Padding that follows from the extent.
    const std::string more = target == "old-padding" ? " and padding=same_upper and s[0]>=2 and k[0]>=3" : "";
    return run({"fuzz", "--plugin=" + plugin("reshapes"), "--target=" + target, "--oracle=none", "--profile=smoke",
                "--where=conv1d.forward and ic=1 and oc=1" + more, "--cases=6000", "--illegal=0", "-q", "--format=json",
                "--shrink=none", "--db=" + target + ".db"});
  };
  EXPECT_EQ(fuzz_reshaped("fits").exit_code, 0);
  for (const std::string target : {"old-batch", "old-extent", "old-padding", "old-image"}) {
    const CommandResult found = fuzz_reshaped(target);
    EXPECT_EQ(found.exit_code, 1) << target << found.out << found.err;
    ASSERT_FALSE(found.mismatches().empty()) << target;
    const CommandResult shrunk = run({"shrink", found.mismatches()[0]["id"].dump(), "--plugin=" + plugin("reshapes"),
                                      "--oracle=none", "--db=" + target + ".db"});
    EXPECT_NE(shrunk.out.find(" calls=reshaped"), std::string::npos) << "it needs the other problem: " << shrunk.out;
  }
  EXPECT_EQ(
      run({"repro", "--plugin=" + plugin("reshapes"), "--oracle=none", "conv1d n=2 in=9 k=3 p=same_upper"}).exit_code,
      0);
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// Campaigns over requantized sums: a kernel that is written from the specification is acquitted bit for bit, and each
// of those that are one unit off somewhere is convicted.
#include "tests/cli/command.h"

namespace convict::test {
namespace {

class RequantizationTest : public CliTest {
 protected:
  CommandResult fuzz(const std::string& target, const std::string& cases) const {
    return run({"fuzz", "--plugin=" + plugin("embedded"), "--target=" + target, "--oracle=none", "--profile=int8",
                "--shrink=none", "--cases=" + cases, "-q", "--format=json", "--db=" + target + ".db"});
  }
};

TEST_F(RequantizationTest, AKernelByTheSpecificationIsAcquitted) {
  const CommandResult result = fuzz("embedded", "3000");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_GE(result.json()["judged"].get<int>(), 2800);
}

TEST_F(RequantizationTest, EachFaultOfOneUnitIsFound) {
  for (const char* name :
       {"one-rounding", "halves-up", "truncates", "whole-factor", "narrow-sum", "clamps-early", "first-multiplier"}) {
    const CommandResult result = fuzz(name, "1500");
    EXPECT_EQ(result.exit_code, 1) << name;
    ASSERT_FALSE(result.mismatches().empty()) << name;
    const std::string verdict = result.mismatches()[0]["verdict"];
    EXPECT_TRUE(verdict == "wrong-exact" || verdict == "wrong-rounding") << name << ": " << verdict;
  }
}

TEST_F(RequantizationTest, TheCertificateNamesTheOneRightResultAndIsConfirmed) {
  const std::string line = "conv2d ic=3 oc=4 in=6 k=3 dt=s8 scale=channel requant=double bias seed=5";
  const CommandResult wrong =
      run({"repro", "--plugin=" + plugin("embedded"), "--target=halves-up,embedded,direct", "--oracle=none", line});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("allowed error 0.0 (equality)"), std::string::npos) << wrong.out;
}

TEST_F(RequantizationTest, WhoSaysNothingOfItIsNotAsked) {
  const CommandResult result = run({"repro", "--plugin=" + plugin("narrow"), "--target=first", "--oracle=none",
                                    "conv2d in=3 dt=s8 scale=tensor requant=single"});
  EXPECT_NE(result.out.find("refused: it says nothing of requantization"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace convict::test

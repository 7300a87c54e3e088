// SPDX-License-Identifier: Apache-2.0
//
// Libraries that are right where one process loads and calls them are not accused of what a copy of that process lacks.
#include <algorithm>
#include <set>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class OwnProcess : public CliTest, public testing::WithParamInterface<const char*> {
 protected:
  CommandResult campaign(std::vector<std::string> more) const {
    more.insert(more.begin(), {"fuzz", "--plugin=" + plugin("minds_copies"), "--oracle=none", "--illegal=0",
                               "--memory=400M", "--shrink=none", "--format=json", "-q", "--db=own.db"});
    return run_convict(more, {.directory = directory_.path(),
                              .environment = {std::string("CONVICT_TEST_KEEPS=") + GetParam()}});
  }
};

TEST_P(OwnProcess, IsWhereAPluginIsJudged) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer keeps memory, too";
  const CommandResult result = campaign({"--cases=400"});
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  for (const json& row : result.mismatches()) EXPECT_EQ(row["suspect"], "unattributed") << row;
  EXPECT_GT(result.json()["judged"], 380) << result.out;
}

/// Workers that take the place of dead ones may be copies.
TEST_P(OwnProcess, ADeathOfAnotherHarmsNobody) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer keeps memory, too";
  const CommandResult result = campaign({"--plugin=" + plugin("faulty"), "--target=minds-copies,crashes-on-three",
                                         "--where=conv2d.forward oc<=3", "--cases=60"});
  EXPECT_EQ(result.exit_code, 1) << result.err << result.out;
  std::set<std::string> accused;
  for (const json& row : result.mismatches()) accused.insert(row["suspect"].get<std::string>());
  EXPECT_TRUE(accused.contains("crashes-on-three")) << result.out;
  EXPECT_FALSE(accused.contains("minds-copies")) << result.out;
  if (std::string(GetParam()) != "thread") return;
  EXPECT_NE(result.json()["notes"].dump().find("minds_copies.so are no copies"), std::string::npos) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Of, OwnProcess,
                         testing::Values("thread", "memory-not-forked", "memory-wiped-in-forks", "arena", "late-arena"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace convict::test

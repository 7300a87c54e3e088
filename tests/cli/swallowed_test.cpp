// SPDX-License-Identifier: Apache-2.0
//
// What is known to be wrong with libraries hides nothing of anybody else.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

class KnownCausesOfLibraries : public CliTest, public testing::WithParamInterface<const char*> {};

TEST_P(KnownCausesOfLibraries, SwallowNoMutant) {
  const auto rows = run({"fuzz", "--plugin=" + plugin(GetParam()), "--oracle=none", "--cases=300", "--shrink=none",
                         "-q", "--format=json"})
                        .mismatches();
  std::set<std::string> found;
  for (const auto& row : rows) {
    EXPECT_EQ(row["status"], "new") << row;
    found.insert(row["suspect"]);
  }
  EXPECT_GE(found.size(), 25u) << "of " << GetParam() << "; what is found in few cases proves nothing here";
}

INSTANTIATE_TEST_SUITE_P(In, KnownCausesOfLibraries, testing::Values("mutants_b", "mutants_p"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace convict::test

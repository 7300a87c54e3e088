// SPDX-License-Identifier: Apache-2.0
//
// A fault that needs values of a certain kind is explained by them.
#include "diagnose/data_condition.h"

#include <gtest/gtest.h>

#include "core/case_text.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

std::optional<store::DataEvidence> learnt(const std::function<std::optional<bool>(const Case&)>& fails) {
  return diagnose::data_condition(parse_case("conv1d ic=4 oc=4 in=8 k=3 fill=structured"), fails, [] { return true; });
}

TEST(DataCondition, NothingIsLearntFromChance) {
  EXPECT_FALSE(learnt([](const Case& c) { return c.seed % 2 == 0; }));
}

TEST(DataCondition, NothingIsLearntIfAllFailOrAreRefused) {
  EXPECT_FALSE(learnt([](const Case&) { return true; }));
  EXPECT_FALSE(learnt([](const Case&) { return std::nullopt; }));
}

class DataConditionTest : public CliTest {};

TEST_F(DataConditionTest, ZeroWeightsAreCountedAndShown) {
  const std::string plugin_option = "--plugin=" + plugin("skips_zeros");
  const json rows = run({"fuzz", plugin_option, "--oracle=none", "--cases=3000", "--seed=5", "--illegal=0",
                         "--format=json", "--shrink=none", "-q", "--db=z.db"})
                        .mismatches();
  ASSERT_FALSE(rows.empty());
  const CommandResult explained =
      run({"explain", rows[0]["id"].dump(), "--db=z.db", plugin_option, "--oracle=none", "--format=json", "-q"});
  const json data = explained.json()["explanation"]["data"];
  EXPECT_EQ(data["condition"], "wei.zero_run >= 8") << explained.out;
  EXPECT_EQ(data["text"], "8 or more weights in a row are zero");
  EXPECT_EQ(data["unexplained"], 0);
  EXPECT_NE(data["here"].get<std::string>().find("are zero"), std::string::npos) << data;
  const CommandResult shown = run({"show", rows[0]["id"].dump(), "--db=z.db"});
  EXPECT_NE(shown.out.find("8 or more weights in a row are zero"), std::string::npos) << shown.out;
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// What a campaign says of kernels that take little: it counts what was judged, and says so if that is nothing.
#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class GreenTest : public CliTest {
 protected:
  std::string query(const std::string& database, const std::string& sql) const {
    SQLite::Database db(file(database), SQLite::OPEN_READWRITE, 5000);
    SQLite::Statement statement(db, sql);
    return statement.executeStep() ? statement.getColumn(0).getString() : "";
  }

  CommandResult fuzz(const std::string& target, std::vector<std::string> more) const {
    more.insert(more.begin(),
                {"fuzz", "--plugin=" + plugin("narrow"), "--target=" + target, "--oracle=none", "-q", "--format=json"});
    return run(more);
  }
};

json standing(const CommandResult& result, const std::string& target) {
  const json report = result.json();
  for (const json& one : report["targets"])
    if (one["name"] == target) return one;
  return {};
}

TEST_F(GreenTest, NearlyAllCasesOfANarrowKernelAreJudged) {
  for (const char* target : {"first-mended", "tiny"}) {
    const CommandResult result = fuzz(target, {"--cases=2000", std::string("--db=") + target + ".db"});
    EXPECT_EQ(result.exit_code, 0) << result.out;
    const json one = standing(result, target);
    EXPECT_GE(one["judged"].get<int>(), 1900) << target;
    EXPECT_EQ(one["judged"].get<int>() + result.json()["illegal"].get<int>() + result.json()["unjudged"].get<int>(),
              2000);
    EXPECT_LE(one["pairs"].get<int>(), one["pairs_in_domain"].get<int>());
    EXPECT_GE(one["pairs"].get<int>() * 10, one["pairs_in_domain"].get<int>() * 8) << target;
    EXPECT_FALSE(one["inconclusive"].get<bool>());
  }
}

TEST_F(GreenTest, TheFaultOfANarrowKernelStandsFirst) {
  for (const char* seed : {"1", "2", "3"}) {
    const CommandResult result = fuzz(
        "first", {"--cases=1500", "--shrink=none", std::string("--seed=") + seed, std::string("--db=") + seed + ".db"});
    EXPECT_EQ(result.exit_code, 1) << seed;
    ASSERT_FALSE(result.mismatches().empty()) << seed;
    EXPECT_EQ(result.mismatches()[0]["suspect"], "first");
  }
}

TEST_F(GreenTest, WhoRefusesEverythingIsNotAcquitted) {
  const CommandResult result = fuzz("none-yet", {"--cases=40"});
  EXPECT_EQ(result.exit_code, 125) << result.out;
  EXPECT_TRUE(standing(result, "none-yet")["inconclusive"].get<bool>());
  EXPECT_NE(run({"fuzz", "--plugin=" + plugin("narrow"), "--target=none-yet", "--oracle=none", "--cases=40", "-q"})
                .out.find("INCONCLUSIVE none-yet"),
            std::string::npos);
  EXPECT_EQ(fuzz("none-yet", {"--cases=40", "--min-judged=0"}).exit_code, 0);
}

TEST_F(GreenTest, TooFewJudgedCasesAreInconclusive) {
  EXPECT_EQ(fuzz("tiny", {"--cases=100", "--min-judged=5000"}).exit_code, 125);
}

TEST_F(GreenTest, WhereNarrowsACampaign) {
  const CommandResult result =
      fuzz("first", {"--cases=1500", "--illegal=0", "--shrink=none", "--where=conv2d k<=2 s=1 out[1]%8=1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_GE(standing(result, "first")["judged"].get<int>(), 1425);
  EXPECT_TRUE(refuses(fuzz("first", {"--where=colour=red"}), {"--where", "colour"}));
}

/// Hardly a draw meets it: a case that was searched for leads there, with its calls and its data.
TEST_F(GreenTest, ARareConditionOnCallsAndDataIsMet) {
  const CommandResult result = run({"fuzz", "--target=direct", "--oracle=none", "--cases=60", "--illegal=0", "-q",
                                    "--shrink=none", "--format=json", "--db=calls.db",
                                    "--where=conv1d.forward ic=1 oc=1 calls=reshaped fill=wide"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(standing(result, "direct")["judged"].get<int>(), 60);
}

/// No draw meets it, and what it says to all others is the same.
TEST_F(GreenTest, AnExampleOfThePluginLeadsToWhatItTakes) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("shows_the_way"), "--oracle=none", "--cases=40",
                                    "--illegal=0", "-q", "--shrink=none", "--format=json", "--db=example.db"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(standing(result, "shows-the-way")["judged"].get<int>(), 40);
}

TEST_F(GreenTest, AnExampleThatIsNoCaseIsRefused) {
  EXPECT_TRUE(refuses(fuzz("first", {"--example=conv2d in=2 k=3"}), {"a window of 3 is larger"}));
  EXPECT_TRUE(refuses(fuzz("first", {"--example=conv9d in=2"}), {"conv9d"}));
}

TEST_F(GreenTest, AnExampleThatTheTargetRefusesIsANote) {
  const CommandResult result =
      run({"fuzz", "--plugin=" + plugin("depthwise_int8"), "--target=dw-int8", "--example=conv2d in=5 k=3",
           "--oracle=none", "--cases=40", "-q", "--shrink=none", "--format=json", "--db=example.db"});
  EXPECT_NE(result.json()["notes"].dump().find("--example 'conv2d in=5 k=3': dw-int8 refused: "), std::string::npos)
      << result.out;
}

/// What blocks is named, and not what is refused most often.
TEST_F(GreenTest, WhereNothingIsTakenItSaysWhatBlocks) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("depthwise_int8"), "--target=dw-int8", "--profile=smoke",
                                    "--oracle=none", "--cases=40", "-q", "--shrink=none", "--db=blocked.db"});
  EXPECT_EQ(result.exit_code, 125);
  for (const char* part : {"INCONCLUSIVE dw-int8", "of the profile smoke (without --profile, all kinds are tried)"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(GreenTest, LevelsThatWereNeverAcceptedAreNamed) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("depthwise_int8"), "--target=dw-f32", "--oracle=none",
                                    "--cases=200", "-q", "--shrink=none", "--format=json", "--db=never.db"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  const json never = standing(result, "dw-f32")["never_accepted"];
  EXPECT_EQ(never["op"], json({"conv_transpose"}));
  EXPECT_EQ(never["grouping"], json({"grouped", "multiplier"}));
  EXPECT_FALSE(standing(result, "dw-f32")["hardly_judged"].empty());
}

TEST_F(GreenTest, WhereFindsANumberOfThreads) {
  for (const char* threads : {"threads=3", "threads>=2 threads<=3"}) {
    const json report = run({"fuzz", "--target=direct", "--oracle=none", std::string("--where=") + threads,
                             "--cases=100", "--illegal=0", "-q", "--format=json", "--db=threads.db"})
                            .json();
    EXPECT_GE(report["judged"], 95) << threads;
  }
}

TEST_F(GreenTest, NativeKernelsThatAreJudgedOnNothingAreNotAcquitted) {
  const CommandResult result = run({"fuzz", "--target=direct", "--oracle=none",  // all of them search for longer
                                    "--where=k>=5000000", "--cases=10", "--illegal=0", "-q",
                                    "--format=json", "--db=nothing.db"});
  EXPECT_EQ(result.exit_code, 125) << result.out;
}

/// It looks at a problem only when it is called, for which operands of problems that are not legal need data, too.
TEST_F(GreenTest, WhoRefusesInTheCallIsInnocent) {
  const CommandResult result =
      run({"fuzz", "--profile=illegal", "--plugin=" + plugin("tells"), "--target=tells", "--oracle=none",
           "--min-judged=0", "--cases=5000", "--shrink=none", "-q", "--format=json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.json()["illegal"], 5000);
}

TEST_F(GreenTest, WhatIsIllegalAndOutsideIsNotJudged) {
  const json report = run({"fuzz", "--target=direct", "--oracle=none", "--where=conv2d.forward g=1", "--cases=200",
                           "--illegal=1", "-q", "--format=json", "--db=outside.db"})
                          .json();
  EXPECT_EQ(report["illegal"], report["judged"]);
  EXPECT_GT(report["unjudged"], 0);
}

/// Both die of every case, whichever draw it was: of the same lines.
TEST_F(GreenTest, TheSecondDeathIsOfTheSameCase) {
  run({"fuzz", "--plugin=" + plugin("narrow"), "--plugin=" + plugin("faulty"), "--target=tiny,crashes,exits",
       "--oracle=none", "--cases=60", "--illegal=0", "--shrink=none", "-q", "--db=two.db"});
  const auto lines_of = [&](const std::string& suspect) {
    return query("two.db",
                 "SELECT group_concat(case_text, char(10)) FROM (SELECT DISTINCT c.case_text FROM cases c "
                 "WHERE c.suspect = '" +
                     suspect + "' ORDER BY 1)");
  };
  EXPECT_FALSE(lines_of("crashes").empty());
  EXPECT_EQ(lines_of("crashes"), lines_of("exits"));
}

TEST_F(GreenTest, ASurveyThatMakesNoSenseIsOneLine) {
  ASSERT_EQ(fuzz("first-mended", {"--cases=30", "--db=damaged.db"}).exit_code, 0);
  for (const char* surveys : {"7", "[7]", R"([["first-mended", -3, [null, 1, 1, [], ""]]])",
                              R"([["first-mended", 1, [null, 1, 1, [[0, 7]], ""]]])"}) {
    query("damaged.db",
          std::string("UPDATE campaigns SET state = 'interrupted', done = '[]', judged = '{\"first-mended\": 7}',"
                      " surveys = '") +
              surveys + "'");
    EXPECT_TRUE(refuses(run({"fuzz", "--resume", "--db=damaged.db", "--plugin=" + plugin("narrow"), "-q"}),
                        {"damaged.db", "campaign 1", "start another"}))
        << surveys;
  }
  query("damaged.db", "UPDATE campaigns SET counts = json_set(counts, '$.seconds', 'long'), surveys = '[]'");
  EXPECT_EQ(
      run({"fuzz", "--resume", "--db=damaged.db", "--plugin=" + plugin("narrow"), "-q", "--min-judged=0"}).exit_code,
      0);
}

/// Shares name places in the roster: another version of the plugin may have fewer.
TEST_F(GreenTest, ATargetThatIsGoneCostsNothing) {
  ASSERT_EQ(fuzz("first-mended", {"--cases=30", "--db=fewer.db"}).exit_code, 0);
  query("fewer.db",
        "UPDATE campaigns SET state = 'interrupted', done = '[]', "
        "surveys = '[[\"gone\", 0, [null, 1, 1, [], \"\"]], [\"gone too\", 5, [null, 1, 1, [], \"\"]]]'");
  EXPECT_EQ(
      run({"fuzz", "--resume", "--db=fewer.db", "--plugin=" + plugin("narrow"), "-q", "--min-judged=0"}).exit_code, 0);
}

TEST_F(GreenTest, WhoComputesTheIllegalHasOneRow) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("guilty"), "--oracle=none", "--cases=2000",
                                    "--illegal=0.3", "-q", "--shrink=none", "--format=json", "--db=illegal.db"});
  const json rows = result.mismatches();
  const auto is_of_illegal = [](const json& row) { return row["verdict"] == "accepts-invalid"; };
  EXPECT_EQ(std::ranges::count_if(rows, is_of_illegal), 1) << rows.dump(2);
}

/// A campaign that is cut and resumed draws the cases that it would have drawn.
TEST_F(GreenTest, ACampaignThatIsShardedOrResumedHasTheSameCases) {
  const auto hits = [&](const CommandResult& result) {
    int sum = 0;
    for (const json& row : result.mismatches()) sum += row["hits"].get<int>();
    return sum;
  };
  const int whole = hits(fuzz("first", {"--cases=2000", "--shrink=none", "--db=whole.db"}));
  int parts = 0;
  for (const std::string shard : {"1/2", "2/2"})
    parts += hits(
        fuzz("first", {"--cases=2000", "--shrink=none", "--shard=" + shard, "--db=" + shard.substr(0, 1) + ".db"}));
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// `convict score` on mutants whose fate is certain.
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "store/store.h"
#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"

namespace convict::test {
namespace {

using nlohmann::json;

class ScoreCommand : public CliTest {
 protected:
  static std::vector<std::string> score(std::vector<std::string> more) {
    more.insert(more.begin(), {"score", "--plugin=" + plugin("mutants_b"), "--control-cases=200", "-q"});
    return more;
  }

  json measured(std::vector<std::string> more) const {
    more.push_back("--format=json");
    const CommandResult result = run(score(std::move(more)));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.json();
  }

  static const json& named(const json& mutants, const std::string& name) {
    const auto row = std::ranges::find_if(mutants, [&](const json& one) { return one["name"] == name; });
    if (row == mutants.end()) throw std::runtime_error("no row of " + name);
    return *row;
  }
};

TEST_F(ScoreCommand, EasyMutantsAreFoundByEverySeed) {
  const json report = measured({"--target=B01,B19", "--seeds=2", "--cases=2000"});
  ASSERT_EQ(report["mutants"].size(), 2u);
  for (const json& mutant : report["mutants"]) {
    EXPECT_EQ(mutant["detected_share"], 1);
    EXPECT_EQ(mutant["confirmed_share"], 1);
    EXPECT_GE(mutant["median_cases"], 1);
    EXPECT_GT(mutant["median_cpu_seconds"], 0);
    EXPECT_TRUE(mutant["verdict"].get<std::string>().starts_with("wrong-"));
    EXPECT_EQ(
        run({"repro", "--plugin=" + plugin("mutants_b"), "--oracle=none", "--target", mutant["name"], mutant["case"]})
            .exit_code,
        1);
  }
  EXPECT_EQ(report["false_alarms"], 0);
  EXPECT_EQ(report["control_cases"], 400);
  EXPECT_EQ(report["seeds"], 2);
  EXPECT_EQ(report["budget_seconds"], 60);
  EXPECT_EQ(report["profile"], "any");
  EXPECT_EQ(report["baselines"], json::object());
  EXPECT_TRUE(report["machine"].contains("isa") && report["machine"].contains("cores"));
  EXPECT_TRUE(report.contains("convict_version"));
}

/// The same cases in the same order, whatever runs beside it.
TEST_F(ScoreCommand, FirstDetectionsDoNotDependOnJobs) {
  const std::vector<std::string> flags = {"--target=B01,B04,B10,B19", "--seeds=2", "--cases=2000"};
  std::vector<std::string> parallel = flags;
  parallel.push_back("-j3");
  const json one = measured(flags), other = measured(parallel);
  for (size_t i = 0; i < one["mutants"].size(); ++i)
    for (const char* key : {"name", "median_cases", "verdicts", "case"})
      EXPECT_EQ(one["mutants"][i][key], other["mutants"][i][key]);
  EXPECT_EQ(one["survival"], other["survival"]);
}

/// B01 acts in convolution, and this profile has none of it.
TEST_F(ScoreCommand, WhatNoCaseShowsIsUndetected) {
  const json report = measured({"--target=B01", "--seeds=2", "--cases=30", "--profile=output-padding"});
  const json& mutant = report["mutants"][0];
  EXPECT_EQ(mutant["detected_share"], 0);
  for (const char* key : {"median_cases", "median_cpu_seconds", "verdict", "case", "confirmed_share"})
    EXPECT_TRUE(mutant[key].is_null()) << key;
  EXPECT_EQ(report["survival"], json::parse(R"([{"cases":1,"undetected":1},{"cases":10,"undetected":1}])"));
}

/// A zero of the wrong sign equals any zero, and 2e-6 of a value is within 1e-2 of it.
TEST_F(ScoreCommand, TolerancesMissWhatTheLadderSees) {
  const json report = measured({"--target=B01,B19,B21", "--seeds=1", "--cases=1000", "--baselines=assert-close,loose"});
  for (const json& mutant : report["mutants"]) EXPECT_EQ(mutant["detected_share"], 1) << mutant["name"];
  ASSERT_EQ(report["baselines"].size(), 2u);
  const json &close = report["baselines"]["assert-close"]["mutants"], &loose = report["baselines"]["loose"]["mutants"];
  EXPECT_EQ(named(close, "B01")["detected_share"], 1);
  EXPECT_EQ(named(close, "B21")["detected_share"], 0);
  EXPECT_EQ(named(loose, "B01")["detected_share"], 1);
  EXPECT_EQ(named(loose, "B19")["detected_share"], 0);
  EXPECT_EQ(named(loose, "B21")["detected_share"], 0);
}

TEST_F(ScoreCommand, IntegersSeeIndicesAndNotMantissas) {
  const json report = measured({"--target=B01,B28", "--seeds=1", "--cases=1000", "--baselines=integers"});
  const json& integers = report["baselines"]["integers"]["mutants"];
  EXPECT_EQ(named(integers, "B01")["detected_share"], 1);
  EXPECT_EQ(named(integers, "B28")["detected_share"], 0);
  EXPECT_EQ(named(report["mutants"], "B28")["detected_share"], 1);
}

TEST_F(ScoreCommand, DeathsAreDetections) {
  const CommandResult result = run(
      {"score", "--plugin=" + plugin("faulty"), "--target=crashes", "--seeds=2", "--cases=50", "--format=json", "-q"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json mutants = result.json()["mutants"];
  ASSERT_EQ(mutants.size(), 1u);
  EXPECT_EQ(mutants[0]["detected_share"], 1);
  EXPECT_EQ(mutants[0]["verdicts"], json({{"crash", 2}}));
}

/// Read-only inputs end the process here, and nowhere else.
TEST_F(ScoreCommand, ADeathThatOnlyWeCauseIsNoDetectionOfOthers) {
  const CommandResult result =
      run({"score", "--plugin=" + plugin("faulty"), "--target=writes-input,crashes", "--seeds=1", "--cases=3",
           "--profile=smoke", "--baselines=loose", "--format=json", "-q"});
  const json report = result.json(), loose = report["baselines"]["loose"]["mutants"];
  EXPECT_EQ(named(report["mutants"], "writes-input")["verdict"], "input-written");
  EXPECT_EQ(named(loose, "writes-input")["detected_share"], 0);
  EXPECT_EQ(named(loose, "crashes")["detected_share"], 1);
}

TEST_F(ScoreCommand, AFalseAlarmIsReportedAndConfirmsNothing) {
  const std::vector<std::string> flags = {
      "score", "--plugin=" + plugin("guilty_control"), "--seeds=1", "--cases=20", "--control-cases=50", "-q"};
  std::vector<std::string> as_json = flags;
  as_json.push_back("--format=json");
  const CommandResult result = run(as_json), text = run(flags);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("false alarm on: conv"), std::string::npos) << text.out;
  const json report = result.json();
  EXPECT_GT(report["false_alarms"], 0);
  EXPECT_EQ(report["mutants"][0]["detected_share"], 0);
  EXPECT_EQ(report["mutants"][0]["confirmed_share"], 0);
  EXPECT_TRUE(report["mutants"][0]["median_cases"].is_null());
  EXPECT_TRUE(report["mutants"][0]["case"].is_string());
}

/// No case shows it by itself. The cases that the process had before are confirmed with it, and given.
TEST_F(ScoreCommand, AFaultWithAHistoryIsConfirmedWithIt) {
  const json report = run({"score", "--plugin=" + plugin("keeps_plans"), "--target=keeps-plan", "--seeds=3",
                           "--cases=3000", "--control-cases=100", "--format=json", "-q"})
                          .json();
  EXPECT_EQ(report["mutants"][0]["detected_share"], 1);
  size_t with_history = 0;
  for (const json& one : report["mutants"][0]["runs"]) {
    if (!one.contains("after")) continue;  // the calls of a relation are a history, too
    ++with_history;
    std::vector<std::string> words = {"repro", "--plugin=" + plugin("keeps_plans"), "--target=keeps-plan",
                                      "--oracle=none", "-q"};
    std::vector<std::string> alone = words;
    for (const json& line : one["after"]) words.push_back("--after=" + line.get<std::string>());
    words.push_back(one["case"]);
    alone.push_back(one["case"]);
    EXPECT_EQ(run(words).exit_code, 1) << one;
    EXPECT_NE(run(alone).out.find("keeps-plan            target   agrees"), std::string::npos) << one;
  }
  EXPECT_GT(with_history, 0u);
}

/// The same numbers in src and wei, and another fused operation: one line shows it.
TEST_F(ScoreCommand, AResultKeptFromAnotherFusedOperationIsFound) {
  const json report = run({"score", "--plugin=" + plugin("keeps_plans"), "--target=keeps-result", "--seeds=2",
                           "--cases=20000", "--control-cases=100", "--format=json", "-q"})
                          .json();
  EXPECT_EQ(report["mutants"][0]["detected_share"], 1) << report;
  const auto repeated = [&](const std::string& before) {
    return run({"repro", "--plugin=" + plugin("keeps_plans"), "--target=keeps-result,control", "--oracle=none", "-q",
                "conv2d ic=2 oc=2 in=5 k=3 bias" + before});
  };
  EXPECT_EQ(repeated(" before=relu:1").exit_code, 1);
  EXPECT_EQ(repeated(" before=bias:0").exit_code, 1);
  for (const char* before : {" before=relu:1/n:2", " before=oc:4,relu:1", " before=threads:2"})
    EXPECT_NE(repeated(before).out.find("keeps-result          target   agrees"), std::string::npos) << before;
}

/// The same history, for a control that keeps plans, too.
TEST_F(ScoreCommand, AHistoryThatTheControlFailsOnConfirmsNothing) {
  const json report =
      run({"score", "--plugin=" + plugin("keeps_plans_control"), "--target=keeps-plan", "--seeds=1", "--cases=1600",
           "--control-cases=10", "--format=json", "-q"})
          .json();
  EXPECT_EQ(report["mutants"][0]["detected_share"], 0) << report;
  EXPECT_TRUE(report["mutants"][0]["case"].is_string());
}

TEST_F(ScoreCommand, EveryRunCanBeRepeated) {
  const json report = run(score({"--target=B01", "--seeds=2", "--cases=300", "--format=json"})).json();
  for (const json& one : report["mutants"][0]["runs"]) {
    const CommandResult again = run({"repro", "--plugin=" + plugin("mutants_b"), "--target=B01", "--oracle=none",
                                     one["case"].get<std::string>(), "-q"});
    EXPECT_EQ(again.exit_code, 1) << one;
    EXPECT_NE(again.out.find(one["verdict"].get<std::string>()), std::string::npos) << again.out;
  }
}

TEST_F(ScoreCommand, SomeMutantsAreLeftOut) {
  const json report =
      run(score({"--target=B01,B02,B03", "--except=B02", "--seeds=1", "--cases=100", "--format=json"})).json();
  ASSERT_EQ(report["mutants"].size(), 2u);
  EXPECT_EQ(report["mutants"][0]["name"], "B01");
  EXPECT_EQ(report["mutants"][1]["name"], "B03");
  EXPECT_TRUE(refuses(run(score({"--except=B91"})), {"--except", "'B91'", "B01"}));
  EXPECT_TRUE(refuses(run(score({"--target=B01", "--except=B01"})), {"--except", "no mutant is left"}));
}

/// The mutants of this plugin do not compute in integers.
TEST_F(ScoreCommand, AMutantMayNeedAnotherProfile) {
  const json report =
      run(score({"--target=B01,B02", "--profile=int8,B02=grouped", "--seeds=1", "--cases=300", "--format=json"}))
          .json();
  EXPECT_EQ(report["profile"], "int8");
  EXPECT_EQ(named(report["mutants"], "B01")["detected_share"], 0);  // it takes f32 only
  EXPECT_TRUE(named(report["mutants"], "B01")["profile"].is_null());
  EXPECT_EQ(named(report["mutants"], "B02")["detected_share"], 1);
  EXPECT_EQ(named(report["mutants"], "B02")["profile"], "grouped");
  EXPECT_TRUE(refuses(run(score({"--profile=B91=int8"})), {"--profile", "'B91'", "B01"}));
  EXPECT_TRUE(refuses(run(score({"--profile=B01=int9"})), {"'int9'", "int8"}));
  EXPECT_TRUE(refuses(run(score({"--profile=int8,smoke"})), {"--profile", "MUTANT=PROFILE"}));
}

/// With every run, so that survival curves can be drawn.
TEST_F(ScoreCommand, KeepsItsResultWhereItIsToldTo) {
  const CommandResult result = run(score(
      {"--target=B01,B28", "--seeds=2", "--cases=300", "--baselines=integers", "--format=json", "--db=score.db"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto stored = store::Store::open(file("score.db")).last_score();
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->result, result.json());
  EXPECT_EQ(stored->settings["seeds"], 2);
  EXPECT_EQ(stored->settings["cases"], 300);
  EXPECT_EQ(stored->settings["plugins"], json({plugin("mutants_b")}));
  EXPECT_FALSE(stored->version.empty());
  for (const json& mutants : {stored->result["mutants"], stored->result["baselines"]["integers"]["mutants"]})
    for (const json& mutant : mutants) {
      ASSERT_EQ(mutant["runs"].size(), 2u);
      uint64_t detected = 0;
      for (const json& one : mutant["runs"]) {
        detected += one["detected"].get<bool>();
        EXPECT_EQ(one["cases"] == 300, !one["detected"].get<bool>()) << mutant;
        EXPECT_GT(one["cpu_seconds"], 0);
        EXPECT_EQ(one["case"].is_string(), one["detected"].get<bool>()) << mutant;
        EXPECT_EQ(one["verdict"].is_string(), one["detected"].get<bool>()) << mutant;
      }
      EXPECT_EQ(mutant["runs"][1]["seed"], 2);
      EXPECT_EQ(mutant["detected_share"], static_cast<double>(detected) / 2);
    }
  run(score({"--target=B01", "--seeds=1", "--cases=300"}));
  EXPECT_FALSE(std::filesystem::exists(file("convict.db"))) << "no database unless one is named";
}

TEST_F(ScoreCommand, RefusesADatabaseBeforeTheWork) {
  write_file(file("text.db"), "no database\n");
  EXPECT_TRUE(refuses(run(score({"--target=B01", "--db=text.db"})), {"'text.db'", "not a SQLite database"}));
  EXPECT_TRUE(refuses(run(score({"--seeds=10000", "--db=long.db"})), {"--db", "at most 40,000"}));
  EXPECT_FALSE(std::filesystem::exists(file("long.db")));
}

TEST_F(ScoreCommand, TablesFitTheTerminal) {
  const CommandResult result = run(score({"--target=B01,B19", "--seeds=1", "--cases=500"}));
  EXPECT_EQ(result.exit_code, 0);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  for (const char* part : {"B01", "1/1", "ladder", "false alarms", "not detected"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
  EXPECT_EQ(result.err, "");
}

TEST_F(ScoreCommand, Markdown) {
  const CommandResult result = run(score({"--target=B01", "--seeds=1", "--cases=500", "--format=markdown"}));
  EXPECT_NE(result.out.find("| B01 | drops the group in the index of weights | 1/1 |"), std::string::npos);
}

TEST_F(ScoreCommand, BadFlags) {
  EXPECT_TRUE(refuses(run({"score"}), {"--plugin"}));
  EXPECT_TRUE(refuses(run(score({"--target=B91"})), {"--target", "'B91'", "B01"}));
  EXPECT_TRUE(refuses(run(score({"--target=control"})), {"no implementation but 'control'"}));
  EXPECT_TRUE(refuses(run(score({"--baselines=lose"})), {"--baselines", "'lose'", "did you mean 'loose'"}));
  EXPECT_TRUE(refuses(run(score({"--baselines=all,loose"})), {"--baselines", "stand alone"}));
  EXPECT_TRUE(refuses(run(score({"--profile=al"})), {"'al'", "did you mean 'all'"}));
  EXPECT_TRUE(refuses(run(score({"--seeds=0"})), {"--seeds"}));
  EXPECT_TRUE(refuses(run(score({"--cases=0"})), {"--cases"}));
  EXPECT_TRUE(refuses(run(score({"--cases=-1"})), {"--cases"}));
  EXPECT_TRUE(refuses(run(score({"--budget=soon"})), {"--budget", "'soon'"}));
  EXPECT_TRUE(refuses(run(score({"--format=xml"})), {"--format"}));
  EXPECT_TRUE(refuses(run({"score", "--plugin=missing.so"}), {"'missing.so'", "does not exist"}));
}

/// One run would take an hour.
TEST_F(ScoreCommand, AnInterruptPrintsWhatThereIs) {
  const PluginEvents events;
  Command command({"score", "--plugin=" + plugin("tells"), "--profile=smoke", "--budget=1h", "--db=score.db"},
                  {.directory = directory_.path(), .environment = events.told()});
  ASSERT_TRUE(events.next(command));
  command.signal_group(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("0/0"), std::string::npos) << result.out;
  EXPECT_FALSE(store::Store::open(file("score.db")).last_score()) << "a part must not hide a whole one";
}

}  // namespace
}  // namespace convict::test

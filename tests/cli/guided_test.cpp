// SPDX-License-Identifier: Apache-2.0
//
// `fuzz --engine libfuzzer`, with an engine that is not libFuzzer (tests/fuzz/blind_driver.cpp): all but the guidance
// by edges is the same.
#include <algorithm>

#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"

namespace convict::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class GuidedTest : public CliTest {
 protected:
  CommandResult guided(std::vector<std::string> more, const std::string& program = CONVICT_BLIND_GUIDED) const {
    const auto given = [&](const std::string& flag) {
      return std::ranges::any_of(more, [&](const std::string& one) { return one.starts_with(flag); });
    };
    for (const std::string usual : {"--oracle=none", "--shrink=none", "--min-judged=0"})
      if (!given(usual.substr(0, usual.find('=')))) more.push_back(usual);
    more.insert(more.begin(), {"fuzz", "--engine=libfuzzer", "--format=json"});
    return run_convict(more, {.directory = directory_.path(), .environment = {"CONVICT_GUIDED=" + program}});
  }
  std::vector<fs::path> corpus(const std::string& folder = "convict.corpus") const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(file(folder))) files.push_back(entry.path());
    return files;
  }
};

TEST_F(GuidedTest, JudgesNativeKernelsAndKeepsACorpus) {
  const CommandResult result = guided({"--cases=800"});
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_EQ(result.json()["cases"], 800);
  EXPECT_GT(result.json()["judged"], 700);
  EXPECT_GT(result.json()["coverage"]["pairs"], 3000);
  EXPECT_GT(corpus().size(), 256u) << "the generator's, and what the engine kept";
  const json database = run({"report", "--format=json", "--quiet", "--profile=all"}).json();
  EXPECT_GT(database["profiles"][0]["cases"], 700) << "what guided cases cover counts";
}

TEST_F(GuidedTest, OraclesSeeWhatShowsANewCombination) {
  const json report = guided({"--target=direct", "--oracle=im2col", "--cases=3000"}).json();
  uint64_t by_target = 0, by_oracle = 0;
  for (const json& one : report["implementations"])
    (one["target"] ? by_target : by_oracle) += one["computed"].get<uint64_t>();
  EXPECT_GT(by_oracle, 300u);
  EXPECT_LT(by_oracle, by_target * 9 / 10);
  EXPECT_LE(report["witnessed"].get<uint64_t>(), by_oracle);
}

TEST_F(GuidedTest, AMismatchIsARowLikeAnyOther) {
  const CommandResult result =
      guided({"--plugin=" + plugin("guilty"), "--target=guilty", "--cases=1500", "--shrink=1h"});
  EXPECT_EQ(result.exit_code, 1) << result.err << result.out;
  ASSERT_FALSE(result.mismatches().empty());
  for (const json& row : result.mismatches()) {
    EXPECT_EQ(row["suspect"], "guilty");
    EXPECT_FALSE(row["predicate"].get<std::string>().empty()) << "shrunk and explained: " << row;
    EXPECT_EQ(run({"repro", "--plugin=" + plugin("guilty"), "--target=guilty", "--oracle=none", row["case"]}).exit_code,
              1)
        << row;
  }
}

TEST_F(GuidedTest, ACrashCostsOneCaseAndIsBlamedOnTheCaseTheWorkerNoted) {
  const CommandResult result = guided({"--plugin=" + plugin("faulty"), "--target=crashes", "--cases=3"});
  EXPECT_EQ(result.exit_code, 1) << result.err << result.out;
  EXPECT_EQ(result.json()["cases"], 3);
  ASSERT_FALSE(result.mismatches().empty()) << result.out;
  for (const json& row : result.mismatches()) {
    EXPECT_EQ(row["suspect"], "crashes");
    EXPECT_EQ(row["verdict"], "crash");
    EXPECT_EQ(
        run({"repro", "--plugin=" + plugin("faulty"), "--target=crashes", "--oracle=none", row["case"]}).exit_code, 1)
        << row;
  }
}

TEST_F(GuidedTest, AnOracleThatHangsOrCorruptsItsHeapDoesNotEndTheCampaign) {
  for (const std::string oracle : {"hangs", "corrupts-heap", "eats-memory"}) {
    const CommandResult result = guided({"--plugin=" + plugin("faulty"), "--target=direct,im2col", "--oracle=" + oracle,
                                         "--cases=2", "--timeout=1s", "--memory=500M", "--db=" + oracle + ".db"});
    EXPECT_EQ(result.exit_code, 0) << oracle << result.out;  // the targets are judged without it
    EXPECT_EQ(result.json()["cases"], 2) << oracle << result.err;
    ASSERT_FALSE(result.mismatches().empty()) << oracle;
    EXPECT_EQ(result.mismatches()[0]["suspect"], oracle);
  }
}

/// libFuzzer writes the input that ended it to the working directory, unless it is told otherwise.
TEST_F(GuidedTest, AnEngineThatEndsLeavesARowAndNoFile) {
  const CommandResult result = guided({"--plugin=" + plugin("leaves"), "--target=leaves", "--cases=2"});
  EXPECT_EQ(result.json()["cases"], 2) << result.err;
  ASSERT_FALSE(result.mismatches().empty()) << result.out;
  EXPECT_EQ(result.mismatches()[0]["suspect"], "leaves");
  for (const auto& entry : fs::directory_iterator(directory_.path()))
    EXPECT_TRUE(entry.path().filename().string().starts_with("convict.")) << entry.path();
}

TEST_F(GuidedTest, ForeignTruncatedAndOldCorpusEntriesAreCases) {
  fs::create_directory(file("convict.corpus"));
  write_file(file("convict.corpus/foreign"),
             "\x7f"
             "ELF what else might lie here");
  write_file(file("convict.corpus/empty"), "");
  write_file(file("convict.corpus/truncated"), "cv\x01");
  write_file(file("convict.corpus/older"), std::string("cv\0\1\2\3\4", 7));
  write_file(file("convict.corpus/extreme"), "cv\x01\x2f" + std::string(400, '\xff'));
  const CommandResult result = guided({"--cases=200"});
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_EQ(result.json()["cases"], 200);
}

TEST_F(GuidedTest, GoesOnAfterAKill) {
  std::vector<std::string> arguments = {
      "fuzz",         "--engine=libfuzzer",          "--oracle=none",        "--shrink=none",
      "--cases=2000", "--plugin=" + plugin("tells"), "--target=direct,tells"};
  const std::string engine = std::string("CONVICT_GUIDED=") + CONVICT_BLIND_GUIDED;
  const CommandOptions options = {.directory = directory_.path(), .environment = {engine}};
  {
    const PluginEvents events;
    CommandOptions waiting = options;
    for (const std::string& variable : events.told_and_waiting()) waiting.environment.push_back(variable);
    Command command(arguments, waiting);
    EXPECT_TRUE(events.stop_after(command, 1000));
    command.signal(SIGKILL);
    command.wait();
  }
  const size_t kept = corpus().size();
  EXPECT_GT(kept, 256u) << "the generator's, and what the engine kept";
  const CommandResult resumed = run_convict({"fuzz", "--resume", "--time=2s", "--format=json"}, options);
  EXPECT_EQ(resumed.exit_code, 2) << "the time was not given when it was begun";
  const CommandResult result =
      run_convict({"fuzz", "--resume", "--format=json", "--min-judged=0", "--plugin=" + plugin("tells")}, options);
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_EQ(result.json()["cases"], 2000);
  EXPECT_GE(corpus().size(), kept) << "the second run begins with what the first has kept";
}

TEST_F(GuidedTest, SaysWhatIsMissing) {
  EXPECT_TRUE(refuses(guided({"--cases=1"}, "/nowhere/convict-guided"), {"CONVICT_GUIDED", "/nowhere/convict-guided"}));
  EXPECT_TRUE(refuses(guided({"--cases=1", "--profile=smoke"}), {"--profile", "leave it out"}));
  EXPECT_TRUE(refuses(guided({"--cases=1", "--corpus=/proc/none"}), {"--corpus", "/proc/none"}));
  write_file(file("occupied"), "a file");
  EXPECT_TRUE(refuses(guided({"--cases=1", "--corpus=occupied"}), {"--corpus", "occupied", "not a folder"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--corpus=here", "--cases=1"}), {"--corpus", "--engine libfuzzer"}));
  EXPECT_TRUE(refuses(run({"fuzz", "--engine=afl", "--cases=1"}), {"--engine", "libfuzzer"}));
  EXPECT_FALSE(fs::exists(file("convict.db"))) << "a refused command writes nothing";
}

}  // namespace
}  // namespace convict::test

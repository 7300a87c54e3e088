// SPDX-License-Identifier: Apache-2.0
//
// Implementations that do something to the process they run in: the campaign goes on to its end, what they did is
// theirs, and the others do not suffer.
#include <signal.h>

#include <set>

#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"

namespace convict::test {
namespace {

using nlohmann::json;

constexpr int kCases = 60;

class SurviveTest : public CliTest {
 protected:
  std::vector<std::string> fuzz(const std::string& targets, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"fuzz",
                                      "--plugin=" + plugin("rude"),
                                      "--plugin=" + plugin("faulty"),
                                      "--oracle=none",
                                      "--target=" + targets,
                                      "--format=json",
                                      "--shrink=none",
                                      "--illegal=0",
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  CommandResult run_cases(const std::string& targets, std::vector<std::string> more = {}) const {
    more.push_back("--cases=" + std::to_string(kCases));
    return run(fuzz(targets, more));
  }
};

std::set<std::string> signatures(const json& mismatches) {
  std::set<std::string> names;
  for (const json& mismatch : mismatches) {
    const std::string signature = mismatch["signature"];
    names.insert(signature.substr(0, signature.rfind('|')));
  }
  return names;
}

/// Nobody is blamed, nobody died, every case was judged as without it.
class Innocent : public SurviveTest, public testing::WithParamInterface<const char*> {};

TEST_P(Innocent, AllGoesOn) {
  const CommandResult result = run_cases(std::string(GetParam()) + ",direct");
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  const json report = result.json();
  EXPECT_EQ(report["cases"], kCases);
  EXPECT_EQ(report["worker_deaths"], 0);
  EXPECT_GT(report["implementations"][0]["computed"], 0);
  EXPECT_TRUE(report["mismatches"].empty()) << report["mismatches"];
}

INSTANTIATE_TEST_SUITE_P(Is, Innocent,
                         testing::Values("polite", "prints", "handles", "leaves-threads", "forks", "forks-and-stays"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// It alone is blamed, with this verdict and these words in the certificate, and the campaign reaches its end.
struct GuiltyDeed {
  const char *name, *verdict, *evidence;
};
void PrintTo(const GuiltyDeed& deed, std::ostream* out) { *out << deed.name; }

class Guilty : public SurviveTest, public testing::WithParamInterface<GuiltyDeed> {};

TEST_P(Guilty, IsNamedAndNobodyElseIs) {
  const CommandResult result = run_cases("direct," + std::string(GetParam().name) + ",im2col");
  ASSERT_EQ(result.exit_code, 1) << result.err << result.out;
  const json report = result.json();
  EXPECT_EQ(report["cases"], kCases);
  const std::string expected = std::string(GetParam().name) + "|" + GetParam().verdict;
  EXPECT_EQ(signatures(report["mismatches"]), std::set<std::string>{expected}) << report["mismatches"];
  EXPECT_NE(report["mismatches"][0]["certificate"].dump().find(GetParam().evidence), std::string::npos)
      << report["mismatches"][0];
}

INSTANTIATE_TEST_SUITE_P(Of, Guilty,
                         testing::Values(GuiltyDeed{"closes", "crash", "closed or replaced a file descriptor"},
                                         GuiltyDeed{"scribbles", "crash", "wrote into the pipe to the supervisor"},
                                         GuiltyDeed{"handles-and-crashes", "crash", "\"exit_code\":7"},
                                         GuiltyDeed{"exits-cleanly", "crash", "\"exit_code\":0"},
                                         GuiltyDeed{"forks-and-crashes", "crash", "Segmentation fault"},
                                         GuiltyDeed{"rounds-up", "side-effect", "changed the rounding mode"}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(SurviveTest, FlushingDoesNotOutliveTheCall) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the plugin knows how to flush on x86-64 only";
#endif
  const json report = run_cases("flushes,direct,im2col", {"--profile=all"}).json();
  EXPECT_EQ(signatures(report["mismatches"]), std::set<std::string>{"flushes|side-effect"}) << report["mismatches"];
}

/// The plugin fails where it finds another rounding mode than to nearest, or subnormals flushed.
TEST_F(SurviveTest, TheArithmeticOfTheNextOneIsAsAlways) {
  const json report = run_cases("rounds-up,flushes,polite,direct").json();
  EXPECT_GT(report["implementations"][2]["computed"], 0);
  std::set<std::string> expected = {"rounds-up|side-effect"};
#if defined(__x86_64__)
  expected.insert("flushes|side-effect");
#endif
  EXPECT_EQ(signatures(report["mismatches"]), expected) << report["mismatches"];
}

/// Its handlers exit with code 7; ours tell a guard page from any other address.
TEST_F(SurviveTest, HandlersOfOneDoNotHideTheCrashOfAnother) {
  const json report = run_cases("handles,overruns").json();
  EXPECT_EQ(report["cases"], kCases);
  std::set<std::string> found = signatures(report["mismatches"]);
  EXPECT_TRUE(found.contains("overruns|out-of-bounds")) << report["mismatches"];
  for (const std::string& one : found) EXPECT_TRUE(one.starts_with("overruns|")) << one;
}

TEST_F(SurviveTest, WhoIgnoresSignalsIsEndedInTime) {
  const CommandResult result = run(fuzz("ignores-and-hangs", {"--cases=6", "--timeout=1ms"}));
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(signatures(result.mismatches()), std::set<std::string>{"ignores-and-hangs|hang"});
  for (const json& mismatch : result.mismatches()) EXPECT_EQ(shown_again(mismatch).exit_code, 1) << mismatch;
}

TEST_F(SurviveTest, WhoIgnoresSignalsEndsWithTheCampaign) {
  const PluginEvents events;
  Command command(fuzz("ignores-and-hangs", {"--time=1h", "--timeout=1h"}),
                  {.directory = directory_.path(), .environment = events.told()});
  const auto worker = events.next(command);
  ASSERT_TRUE(worker);
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait().exit_code, 130);
  wait_for_end_of(*worker);
}

TEST_F(SurviveTest, ALeakIsItsOwners) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer keeps memory, too";
  const CommandResult result = run(fuzz("direct,leaks,im2col", {"--cases=1500", "--memory=200M", "--timeout=20s"}));
  ASSERT_EQ(result.exit_code, 1) << result.err << result.out;
  const json report = result.json();
  EXPECT_EQ(report["cases"], 1500);
  EXPECT_GT(report["worker_deaths"], 0);
  EXPECT_EQ(signatures(report["mismatches"]), std::set<std::string>{"leaks|oom"}) << report["mismatches"];
  for (const json& mismatch : report["mismatches"]) EXPECT_EQ(shown_again(mismatch).exit_code, 1) << mismatch;
}

/// Nothing that a plugin forked is left when the campaign is over.
TEST_F(SurviveTest, ForkedProcessesEndToo) {
  EXPECT_EQ(run_cases("forks-and-stays").exit_code, 0);
  wait_for_end_of_all_in(directory_.path());
}

/// A cause covers the problem that is deadly, and not each case that has it as an earlier one.
TEST_F(SurviveTest, DeathsOfEarlierProblemsAreThoseOfTheirCause) {
  write_file(file("three.causes"),
             "cause three-output-channels\ntitle It dies of three output channels\nsuspect crashes-on-three\n"
             "versions all\nverdicts crash\nwhen oc = 3\ncase conv2d oc=3 in=4x4\n"
             "note It counts them.\nsource line 7 of faulty.c\nsource and the next one\nsince In 0.9, a year ago.\n");
  const CommandResult result =
      run(fuzz("crashes-on-three", {"--known=three.causes", "--cases=600", "--where=conv2d oc<=4"}));
  const json report = result.json();
  int known = 0;
  for (const json& mismatch : report["mismatches"])
    if (mismatch["verdict"] == "crash") {
      EXPECT_EQ(mismatch["status"], "known") << mismatch["case"];
      ++known;
    }
  EXPECT_GT(known, 0) << result.err;
  const std::string shown = run({"show", "cause", "1"}).out;
  for (const char* line : {"note       It counts them.", "source     line 7 of faulty.c", "source     and the next one",
                           "since      In 0.9, a year ago."})
    EXPECT_NE(shown.find(line), std::string::npos) << line << " in\n" << shown;
}

}  // namespace
}  // namespace convict::test

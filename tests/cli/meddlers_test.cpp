// SPDX-License-Identifier: Apache-2.0
//
// Ordinary bugs of one plugin, each of which once convicted somebody else: a late write, leaked memory, a full x87
// stack, limits, a locale, a closed descriptor. Now its author is named, and nobody else is.
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <set>

#include "tests/cli/command.h"
#include "tests/thorough.h"

namespace convict::test {
namespace {

using nlohmann::json;

class MeddlersTest : public CliTest {
 protected:
  json campaign(const std::string& targets, std::vector<std::string> more) const {
    std::vector<std::string> words = {"fuzz",
                                      "--plugin=" + plugin("meddlers"),
                                      "--oracle=none",
                                      "--format=json",
                                      "--target=" + targets,
                                      "--shrink=none",
                                      "--illegal=0",  // they compute what is asked
                                      "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_LE(result.exit_code, 1) << result.err << result.out;
    return result.json();
  }

  static std::set<std::string> suspects(const json& report) {
    std::set<std::string> names;
    for (const json& mismatch : report["mismatches"]) names.insert(mismatch["suspect"].get<std::string>());
    return names;
  }
};

struct Deed {
  const char *name, *verdict, *text;
};
void PrintTo(const Deed& deed, std::ostream* out) { *out << deed.name; }

/// Why a deed can change nothing here, or nullptr.
const char* why_without_effect(const std::string& deed) {
  if (deed == "limits-memory" && kKeepsFreedMemory) return "the sanitizer dies of the limit itself";
  if (deed == "renices" && getpriority(PRIO_PROCESS, 0) == 19) return "the priority is the lowest already";
  cpu_set_t cpus;
  if (deed == "pins" && sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1)
    return "there is one CPU to run on";
  return nullptr;
}

class Meddler : public MeddlersTest, public testing::WithParamInterface<Deed> {};

TEST_P(Meddler, IsNamedAndNobodyElse) {
  if (const char* why = why_without_effect(GetParam().name)) GTEST_SKIP() << why;
  const json report = campaign("direct," + std::string(GetParam().name) + ",im2col", {"--cases=40"});
  EXPECT_EQ(report["cases"], 40);
  EXPECT_EQ(suspects(report), std::set<std::string>{GetParam().name}) << report["mismatches"];
  for (const json& mismatch : report["mismatches"]) {
    EXPECT_EQ(mismatch["verdict"], GetParam().verdict);
    EXPECT_NE(mismatch["certificate"].value("text", "").find(GetParam().text), std::string::npos) << mismatch;
    EXPECT_EQ(mismatch["certificate"]["alone_failed"], mismatch["certificate"]["alone_runs"]) << mismatch;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Meddler,
    testing::Values(
#if defined(__x86_64__)
        Deed{"leaves-x87-full", "side-effect", "x87 register stack"},
#endif
        Deed{"limits-memory", "side-effect", "resource limits"}, Deed{"sets-locale", "side-effect", "the locale"},
        Deed{"closes-commands", "crash", "closed or replaced a file descriptor"},
        Deed{"replaces-results", "crash", "closed or replaced a file descriptor"},
        Deed{"masks-signals", "side-effect", "the signal mask"}, Deed{"moves", "side-effect", "the working directory"},
        Deed{"sets-umask", "side-effect", "the umask"}, Deed{"sets-variable", "side-effect", "environment variables"},
        Deed{"renices", "side-effect", "priority"}, Deed{"pins", "side-effect", "on which CPUs it may run"},
        Deed{"sets-timer", "side-effect", "an interval timer"},
        Deed{"forges", "crash", "wrote into the pipe to the supervisor"}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

/// All questions of a case are looked at together, so another library is a suspect at first.
TEST_F(MeddlersTest, AQuestionThatChangesTheProcessIsItsAuthors) {
  const json report = campaign("innocent,moves-when-asked,direct", {"--cases=40"});
  EXPECT_EQ(suspects(report), std::set<std::string>{"moves-when-asked"}) << report["mismatches"];
  for (const char* targets : {"innocent,moves-once-when-asked", "moves-once-when-asked,innocent"}) {
    const json once = campaign(targets, {"--cases=40"});
    EXPECT_TRUE(suspects(once).contains("moves-once-when-asked")) << once["mismatches"];
    EXPECT_FALSE(suspects(once).contains("innocent")) << once["mismatches"];
  }
}

/// Whatever its own results look like by then.
TEST_F(MeddlersTest, ALateWriteHurtsItsAuthorAlone) {
  const json report = campaign("direct,writes-late,im2col", {"--cases=60"});
  EXPECT_TRUE(suspects(report).contains("writes-late")) << report["mismatches"];
  EXPECT_FALSE(suspects(report).contains("direct"));
  EXPECT_FALSE(suspects(report).contains("im2col"));
}

TEST_F(MeddlersTest, MemoryIsChargedToWhoKeepsIt) {
  if (kKeepsFreedMemory) GTEST_SKIP() << "the sanitizer keeps memory, too";
  const json report =
      campaign("uses-scratch,leaks-memory,direct", {"--cases=200", "--memory=160M", "--timeout=60s"});
  EXPECT_EQ(suspects(report), std::set<std::string>{"leaks-memory"}) << report["mismatches"];
}

TEST_F(MeddlersTest, FilesInMemoryAreMemory) {
  const json report = campaign("hides-memory,direct", {"--cases=150", "--memory=300M"});
  EXPECT_EQ(suspects(report), std::set<std::string>{"hides-memory"}) << report["mismatches"];
}

/// Sixteen workers for each CPU, and calls of 50 ms of CPU time.
TEST_F(MeddlersTest, ABusyMachineMakesNoHang) {
  const json report = campaign("works-slowly", {"--cases=64", "--timeout=1s", "-j32"});
  EXPECT_TRUE(report["mismatches"].empty()) << report["mismatches"];
}

TEST_F(MeddlersTest, AThreadOfTheLibraryCrashesForItself) {
  const CommandResult result =
      run({"fuzz", "--plugin=" + plugin("crashes_later"), "--oracle=none", "--target=direct,crashes-later",
           "--where=conv2d in<=6", fmt::format("--cases={}", thorough(150, 1000)), "--format=json", "--shrink=none",
           "-q"});
  EXPECT_EQ(result.json()["cases"], thorough(150, 1000)) << result.out;
  EXPECT_FALSE(suspects(result.json()).contains("direct")) << result.out;
}

/// A fault of every third call: each printed line shows it again, with the calls that it needs. Few kinds of cases are
/// few lines.
TEST_F(MeddlersTest, WhatNeedsEarlierCallsNamesThem) {
  const CommandResult result = run({"fuzz", "--plugin=" + plugin("stateful"), "--oracle=none", "--target=every-third",
                                    "--where=conv1d.forward fill=int in<=4", "--cases=300", "--seed=3",
                                    "--format=json", "--shrink=none", "-q", "--db=s.db"});
  ASSERT_EQ(result.exit_code, 1) << result.err << result.out;
  size_t with_calls = 0;
  const json report = result.json();
  for (const json& mismatch : report["mismatches"]) {
    if (mismatch["suspect"] != "every-third") continue;
    const json& certificate = mismatch["certificate"];
    with_calls += certificate.contains("before") || certificate.contains("times") ? 1 : 0;
    const CommandResult again =
        run({"repro", mismatch["id"].dump(), "--db=s.db", "--plugin=" + plugin("stateful"), "--oracle=none"});
    EXPECT_EQ(again.exit_code, 1) << mismatch << again.out << again.err;
    const CommandResult as_printed = shown_again(mismatch);
    EXPECT_EQ(as_printed.exit_code, 1) << mismatch << as_printed.out << as_printed.err;
  }
  EXPECT_GT(with_calls, 0u);
}

/// A witness computes on one thread, in the campaign, alone, and for `repro`.
TEST_F(MeddlersTest, AWitnessIsRepeatedAsItWasAsked) {
  const CommandResult result =
      run({"fuzz", "--plugin=" + plugin("stateful"), "--target=direct", "--oracle=on-one-thread", "--where=threads>1",
           "--cases=60", "--illegal=0", "--format=json", "--shrink=none", "-q", "--db=s.db"});
  size_t accused = 0;
  for (const json& mismatch : result.mismatches()) {
    EXPECT_EQ(mismatch["suspect"], "on-one-thread") << mismatch;
    EXPECT_EQ(mismatch["case"].get<std::string>().find("threads"), std::string::npos) << mismatch;
    if (mismatch["verdict"] == "wrong-relation") continue;
    ++accused;
    const CommandResult again = run({"repro", mismatch["id"].dump(), "--db=s.db", "--plugin=" + plugin("stateful"),
                                     "--target=direct", "--oracle=on-one-thread"});
    EXPECT_EQ(again.exit_code, 1) << mismatch << again.out << again.err;
  }
  EXPECT_GT(accused, 0u) << result.out << result.err;
}

/// One call of 300: a process repeats the case until it shows how rare that is. How many calls there is time for
/// depends on the machine. What is made of them does not (Confirmation.*).
TEST_F(MeddlersTest, WhatIsRareSaysHowRare) {
  size_t say_so = 0;
  constexpr int kEnough = 600;        // calls: that one in 30 of them fails has a chance of one in a million
  constexpr int kMostCampaigns = 20;  // by chance, one may have no such row
  for (int seed = 1; say_so == 0 && seed <= kMostCampaigns; ++seed) {
    const json report = campaign(
        "rarely", {"--plugin=" + plugin("stateful"), "--cases=3000", fmt::format("--seed={}", seed)});
    for (const json& row : report["mismatches"]) {
      if (row["suspect"] != "rarely" || row["verdict"] == "wrong-relation") continue;  // which takes several calls
      const json& certificate = row["certificate"];
      const int calls = certificate.value("alone_calls", 0), times = certificate.value("times", 0);
      say_so += calls > 16 && times > 0 ? 1 : 0;
      if (calls < kEnough) continue;
      EXPECT_LT(certificate.value("alone_failing", 0), calls / 30) << row;
      EXPECT_TRUE(times == 0 || times > 100) << row;
    }
  }
  EXPECT_GT(say_so, 0u);
}

/// One call of 30: it comes back in some processes, and the command says how many calls show it.
TEST_F(MeddlersTest, WhatComesAndGoesIsRepeatedByItsCommand) {
  size_t in_some = 0;
  constexpr int kMostWithout = 400;   // calls, of which one in 30 fails: a chance of one in a million
  constexpr int kMostCampaigns = 20;  // by chance, one may have no such row
  for (int seed = 1; in_some == 0 && seed <= kMostCampaigns; ++seed) {
    const json report = campaign("now-and-then", {"--plugin=" + plugin("stateful"), "--cases=300",
                                                  fmt::format("--seed={}", seed)});
    for (const json& row : report["mismatches"]) {
      const json& certificate = row["certificate"];
      if (certificate["alone_failed"] == certificate["alone_runs"]) continue;
      if (certificate.contains("relation")) continue;  // only the last of many calls is asked for all relations
      if (!certificate.contains("times")) {            // no call failed, by chance: there was time for few of them
        EXPECT_EQ(certificate.value("alone_failing", 0), 0) << row;
        EXPECT_LT(certificate.value("alone_calls", 0), kMostWithout) << row;
        continue;
      }
      ++in_some;
      EXPECT_NE(row["repro"].get<std::string>().find("--times"), std::string::npos) << row;
    }
  }
  EXPECT_GT(in_some, 0u);
}

/// Nothing is learnt from a fault that comes and goes, and no line that showed it is replaced by one that did not.
TEST_F(MeddlersTest, WhatComesAndGoesIsNotExplained) {
  const json rows = run({"fuzz", "--plugin=" + plugin("stateful"), "--oracle=none", "--target=now-and-then",
                         "--cases=300", "--format=json", "--illegal=0", "-q", "--db=s.db", "--shrink=none"})
                        .mismatches();
  for (const json& row : rows) {
    if (row["suspect"] != "now-and-then" || row["verdict"] == "wrong-relation") continue;  // which takes several calls
    const json explained =
        run({"explain", row["id"].dump(), "--db=s.db", "--oracle=none", "--format=json", "-q"}).json();
    EXPECT_EQ(explained["predicate"], "") << explained;
    EXPECT_TRUE(explained["shrunk"].is_null() || explained["shrunk"]["case"] == row["case"]) << explained << row;
  }
}

TEST_F(MeddlersTest, NoProcessOutlivesTheCampaign) {
  campaign("starts-process,direct", {"--cases=5"});
  EXPECT_NE(std::system("pgrep -f '^sleep 86399.125$' > /dev/null"), 0);
}

TEST_F(MeddlersTest, WorkersThatCannotWorkEndTheCampaign) {
  const CommandResult result = run({"fuzz", "--target=direct", "--oracle=none", "--memory=1M", "--time=1h", "-q"});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("give it more"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace convict::test

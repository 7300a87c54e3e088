// SPDX-License-Identifier: Apache-2.0
//
// A client that can be copied is started once, its copies are judged as clients, and what goes wrong with copies costs
// starts only.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>

#include "core/text.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

constexpr const char* kWrong = "conv2d in=5 k=3 d=2 p=2";

class CopiedClient : public CliTest {
 protected:
  static std::string client(const std::string& deed) {
    return "/usr/bin/python3 " + shell_quoted(CONVICT_SOURCE_DIR "/tests/clients/copied.py") + " " + deed;
  }
  CommandResult repro(const std::string& deed, const std::string& timeout = "1s") {
    return run(repro_words(deed, timeout));
  }
  static std::vector<std::string> repro_words(const std::string& deed, const std::string& timeout = "1s") {
    return {"repro", "--command", client(deed), "--oracle=none", "--format=json", "--timeout=" + timeout, kWrong};
  }
  json campaign(const std::string& deed, std::vector<std::string> more = {}) {
    std::filesystem::remove(file("starts.txt"));
    more.insert(more.begin(), {"fuzz", "--command", client(deed), "--oracle=none", "--format=json", "-q", "--cases=60",
                               "--where=in<=4", "--db=" + deed + ".db"});
    return run(more).json();
  }
  size_t starts() const { return lines("starts.txt").size(); }
  /// Of a file that the client has written.
  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream text(read_file(file(name)));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
};

std::string verdict_of(const CommandResult& result) {
  const json mismatches = result.json()["mismatches"];
  return mismatches.size() == 1 ? mismatches[0]["verdict"].get<std::string>() : result.out + result.err;
}

TEST_F(CopiedClient, IsStartedOnceForACase) {
  const CommandResult result = repro("goes_on");
  EXPECT_EQ(verdict_of(result), "wrong-exact");
  EXPECT_EQ(starts(), 1U);
  const std::vector<std::string> runs = lines("runs.txt");
  EXPECT_GE(std::set(runs.begin(), runs.end()).size(), 2U) << "its repetition has a process of its own";
  EXPECT_EQ(std::ranges::count(runs, lines("starts.txt")[0]), 0) << "what is copied computes nothing";
}

TEST_F(CopiedClient, IsStartedOnceForACampaignWithItsDiagnoses) {
  const json report = campaign("goes_on", {"-j", "2", "--shrink=1s"});
  EXPECT_GE(report["mismatches"].size(), 2);
  EXPECT_LE(starts(), 2U) << "and once with the variables that a diagnosis asks for";
}

TEST_F(CopiedClient, OfEachCommandOneIsStarted) {
  std::vector<std::string> both = repro_words("goes_on one");
  both.insert(both.end(), {"--command", client("goes_on two")});
  EXPECT_EQ(run(both).json()["mismatches"].size(), 2);
  EXPECT_EQ(starts(), 2U);
}

TEST_F(CopiedClient, ItsDeathIsACrashWithItsSignalOrExitCode) {
  EXPECT_EQ(verdict_of(repro("dies")), "crash");
  EXPECT_EQ(starts(), 1U);
  const json death = repro("dies").json()["mismatches"][0]["certificate"];
  EXPECT_NE(death.dump().find("died of Aborted"), std::string::npos) << death;
  const json end = repro("exits").json()["mismatches"][0]["certificate"];
  EXPECT_NE(end.dump().find("exited with code 3"), std::string::npos) << end;
}

TEST_F(CopiedClient, ItsHangIsAHangAndEndsWithAllThatItStarted) {
  for (const char* deed : {"hangs", "hangs_with_a_child"}) {
    std::filesystem::remove(file("starts.txt"));
    EXPECT_EQ(verdict_of(repro(deed, "200ms")), "hang") << deed;
    EXPECT_EQ(starts(), 1U) << deed;
    wait_for_end_of_all_in(directory_.path());
  }
}

/// Nobody is left, whoever hangs, when the program is killed.
TEST_F(CopiedClient, EndsWithTheProgram) {
  ASSERT_EQ(mkfifo(file("hangs").c_str(), 0600), 0);
  Command command(repro_words("hangs", "1h"), {.directory = directory_.path()});
  const int pipe = open(file("hangs").c_str(), O_RDONLY | O_CLOEXEC);  // waits until the client hangs
  close(pipe);
  command.signal(SIGKILL);
  command.wait();
  wait_for_end_of_all_in(directory_.path());
}

/// Each worker has a client that it has started.
TEST_F(CopiedClient, IsNoneWithThreadsOrWithoutItsConsent) {
  for (const char* deed : {"has_a_thread", "refuses"}) {
    std::filesystem::remove(file("starts.txt"));
    const CommandResult result = repro(deed);
    EXPECT_EQ(verdict_of(result), "wrong-exact") << deed;
    EXPECT_EQ(result.err, "") << deed;
    EXPECT_EQ(starts(), 2U) << deed;
  }
}

class UnreliableClient : public CopiedClient, public testing::WithParamInterface<const char*> {};

TEST_P(UnreliableClient, IsStartedInstead) {
  const CommandResult result = repro(GetParam());
  EXPECT_EQ(verdict_of(result), "wrong-exact");
  EXPECT_EQ(result.err, "");
  EXPECT_GE(starts(), 2U);
  EXPECT_LE(starts(), 3U) << "once to be copied, and once for each worker";
  wait_for_end_of_all_in(directory_.path());
}

INSTANTIATE_TEST_SUITE_P(WhoIsToBeCopied, UnreliableClient,
                         testing::Values("ends_when_it_is_asked", "answers_no", "ends_when_it_waits",
                                         "names_another_process", "copies_end_at_once", "ends_after_one_copy"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(CopiedClient, HasTheVerdictsOfOneThatIsStarted) {
  const json copied = campaign("goes_on", {"--shrink=none"});
  EXPECT_EQ(starts(), 1U);
  const json started = campaign("refuses", {"--shrink=none"});
  EXPECT_GT(starts(), 1U);
  for (const char* key : {"cases", "judged", "illegal", "mistrusted", "refusals", "targets"})
    EXPECT_EQ(copied[key], started[key]) << key;
  const auto found = [](const json& report) {
    json rows = json::array();
    for (const json& row : report["mismatches"]) rows.push_back({row["signature"], row["hits"], row["case"]});
    return rows;
  };
  EXPECT_EQ(found(copied), found(started));
  EXPECT_FALSE(found(copied).empty());
}

}  // namespace
}  // namespace convict::test

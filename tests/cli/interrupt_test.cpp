// SPDX-License-Identifier: Apache-2.0
//
// Signals, to the supervisor and to its workers: no worker is left behind, no database is damaged, nobody is accused of
// what came from outside.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <string.h>

#include <set>

#include "tests/cli/command.h"
#include "tests/cli/plugin_events.h"

namespace convict::test {
namespace {

using nlohmann::json;

class InterruptTest : public CliTest {
 protected:
  /// For a command whose plugins tell of their calls.
  CommandOptions told() const { return {.directory = directory_.path(), .environment = events_.told()}; }
  CommandOptions told_and_waiting() const {
    return {.directory = directory_.path(), .environment = events_.told_and_waiting()};
  }

  static std::vector<std::string> fuzz(std::vector<std::string> more) {
    more.insert(more.begin(), {"fuzz", "--oracle=none", "--db=convict.db", "--min-judged=0"});
    return more;
  }
  /// Until somebody ends it; every case is told.
  static std::vector<std::string> endless(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--plugin=" + plugin("tells"), "--target=direct,tells", "--time=1h", "-q"});
    return fuzz(std::move(more));
  }
  static std::vector<std::string> hanging() {
    return fuzz({"--plugin=" + plugin("faulty"), "--target=hangs", "--timeout=1h", "--time=1h"});
  }

  std::string query(const std::string& sql) const {
    return SQLite::Database(file("convict.db"), SQLite::OPEN_READONLY, 5000).execAndGet(sql).getString();
  }

  PluginEvents events_;
};

class Ending : public InterruptTest, public testing::WithParamInterface<int> {};

TEST_P(Ending, PrintsASummaryAndLeavesNoWorker) {
  Command command(endless({"-j", "2"}), told());
  const std::set<pid_t> workers = events_.processes(command, 2);
  ASSERT_EQ(workers.size(), 2);
  command.signal(GetParam());
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "");
  for (const pid_t pid : workers) wait_for_end_of(pid);
}

INSTANTIATE_TEST_SUITE_P(By, Ending, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& info) { return "SIG" + std::string(sigabbrev_np(info.param)); });

/// As timeout(1) sends it: to the process, and to its group.
TEST_F(InterruptTest, TheSameSignalTwiceIsOne) {
  Command command(endless(), told());
  ASSERT_TRUE(events_.next(command));
  command.signal(SIGTERM);
  command.signal_group(SIGTERM);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out;
  EXPECT_EQ(query("SELECT state FROM campaigns"), "interrupted");
}

TEST_F(InterruptTest, AnotherSignalEndsItAtOnce) {
  Command command(endless(), told_and_waiting());
  ASSERT_TRUE(events_.next(command));  // the worker waits for an answer that does not come
  command.signal(SIGINT);
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait().out, "");
}

/// nohup promises that a command outlives its terminal.
TEST_F(InterruptTest, AHangupThatIsIgnoredStaysIgnored) {
  Command command(
      {"-c", "trap '' HUP; exec '" CONVICT_PROGRAM "' fuzz --oracle=none --target=direct,tells --time=1h -q "
             "--plugin='" +
                 plugin("tells") + "'"},
      {.directory = directory_.path(), .environment = events_.told(), .program = "/bin/sh"});
  ASSERT_TRUE(events_.next(command));
  command.signal(SIGHUP);
  ASSERT_TRUE(events_.next(command));
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait().exit_code, 130);
}

TEST_F(InterruptTest, ASignalLeavesASoundDatabase) {
  Command command(endless(), told());
  ASSERT_TRUE(events_.next(command));
  command.signal(SIGINT);
  command.wait();
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(query("SELECT state FROM campaigns"), "interrupted");
  EXPECT_NE(query("SELECT ended FROM campaigns"), "");
}

/// A terminal sends the signal to the workers too.
TEST_F(InterruptTest, CtrlCIsNoCrashOfAWorker) {
  Command command(endless({"--format=json"}), told());
  const auto worker = events_.next(command);
  ASSERT_TRUE(worker);
  kill(*worker, SIGINT);
  command.signal_group(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.json()["worker_deaths"], 0);
  EXPECT_TRUE(result.json()["mismatches"].empty());
}

TEST_F(InterruptTest, LoadingCanBeInterrupted) {
  Command command(fuzz({"--plugin=" + plugin("slow_to_load"), "-q"}), told_and_waiting());
  ASSERT_TRUE(events_.next(command));
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.err, "");
}

TEST_F(InterruptTest, AHangCanBeInterrupted) {
  Command command(hanging(), told());
  const auto worker = events_.next(command);
  ASSERT_TRUE(worker);
  command.signal(SIGINT);
  EXPECT_EQ(command.wait().exit_code, 130);
  wait_for_end_of(*worker);
}

/// What was not reached is one line of text, however much it is; and a row each where programs read.
TEST_F(InterruptTest, AReplayCanBeInterrupted) {
  write_file(file("some.cases"), "conv2d in=5\nconv2d in=6\nconv2d in=7\n");
  for (const char* format : {"text", "json"}) {
    Command command({"replay", "some.cases", "--plugin=" + plugin("faulty"), "--target=hangs", "--oracle=none",
                     "--timeout=1h", "--format", format},
                    told());
    ASSERT_TRUE(events_.next(command));
    command.signal(SIGINT);
    const CommandResult result = command.wait();
    EXPECT_EQ(result.exit_code, 130);
    if (format == std::string("text")) {
      EXPECT_TRUE(result.out.starts_with("not reached      3  cases; --format json names them\n0 cases: 0 judged"))
          << result.out;
      continue;
    }
    const nlohmann::json report = result.json();
    EXPECT_EQ(report["interrupted"], true);
    EXPECT_EQ(report["not_reached"], 3);
    ASSERT_EQ(report["cases"].size(), 3);
    for (const auto& row : report["cases"]) EXPECT_EQ(row["outcome"], "not reached");
  }
}

TEST_F(InterruptTest, WorkersDieWithTheirSupervisor) {
  Command command(endless({"-j", "2"}), told());
  const std::set<pid_t> workers = events_.processes(command, 2);
  ASSERT_EQ(workers.size(), 2);
  command.signal(SIGKILL);
  EXPECT_EQ(command.wait().signal, SIGKILL);
  for (const pid_t pid : workers) wait_for_end_of(pid);
}

TEST_F(InterruptTest, AHangingWorkerDiesWithItsSupervisor) {
  Command command(hanging(), told());
  const auto worker = events_.next(command);
  ASSERT_TRUE(worker);
  command.signal(SIGKILL);
  command.wait();
  wait_for_end_of(*worker);
}

/// A signature is announced when its row is written.
TEST_F(InterruptTest, TheDatabaseSurvivesTheSupervisor) {
  Command command(fuzz({"--plugin=" + plugin("guilty"), "--profile=output-padding", "--time=1h"}), told());
  ASSERT_TRUE(command.says("new   guilty|"));
  command.signal(SIGKILL);
  command.wait();
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
  EXPECT_NE(query("SELECT count(*) FROM mismatches"), "0");
  EXPECT_EQ(run(fuzz({"--target=direct", "--cases=10"})).exit_code, 0) << "the next campaign can use it";
}

/// Each of the workers dies in the hundredth call from the death of the one before.
TEST_F(InterruptTest, TheCampaignGoesOnWhenWorkersAreKilled) {
  constexpr int kKills = 10, kCases = 3000;
  Command command(fuzz({"--plugin=" + plugin("tells"), "--target=direct,tells", "--cases=" + std::to_string(kCases),
                        "--format=json"}),
                  told());
  pid_t dead = -1;
  for (int kills = 0, calls = 0; kills < kKills;) {
    const auto worker = events_.next(command);
    ASSERT_TRUE(worker);
    if (*worker == dead || ++calls % 100 != 0) continue;  // what it told before it died is still to be read
    kill(dead = *worker, SIGKILL);
    ++kills;
  }
  const CommandResult result = command.wait();
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.exit_code << " " << result.err;
  const json report = result.json();
  ASSERT_TRUE(report.is_object()) << result.out;
  EXPECT_EQ(report["cases"], kCases);
  EXPECT_GT(report["worker_deaths"], 0);
  for (const json& mismatch : result.mismatches()) EXPECT_EQ(mismatch["suspect"], "unattributed");
}

/// The first worker has shown that loading works; what kills one that loads, later, comes from outside. Without the
/// server, the worker that takes the place of the first one has to load. It passes the gate.
TEST_F(InterruptTest, TheCampaignGoesOnWhenAWorkerIsKilledWhileLoading) {
  Command command(fuzz({"--plugin=" + plugin("slow_to_load"), "--plugin=" + plugin("tells"), "--target=direct,tells",
                        "--cases=50", "--format=json"}),
                  told_and_waiting());
  events_.let_pass(2);
  ASSERT_TRUE(events_.next(command)) << "the process that asks what the targets take loads them, too";
  const auto loading = events_.next(command), calling = events_.next(command);
  ASSERT_TRUE(calling);
  ASSERT_EQ(*calling, *loading) << "the first worker loads plugins itself";
  kill(*calling, SIGKILL);
  auto second = events_.next(command);  // the server, from which the next one is to be forked
  while (second && *second == *calling) second = events_.next(command);
  ASSERT_TRUE(second);
  kill(*second, SIGKILL);
  ASSERT_TRUE(events_.next(command));
  events_.let_pass(1000);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["cases"], 50);
}

/// Whoever is called is killed, also in the process in which the target is tried alone.
TEST_F(InterruptTest, ATargetIsNotBlamedForKillsFromOutside) {
  Command command(
      {"repro", "conv2d in=5", "--plugin=" + plugin("faulty"), "--target=hangs", "--oracle=none", "--timeout=1h"},
      told());
  int kills = 0;
  while (const auto worker = events_.next(command)) {
    kill(*worker, SIGKILL);
    ++kills;
  }
  const CommandResult result = command.wait();
  EXPECT_GT(kills, 0);
  EXPECT_EQ(result.out.find("blame: target"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("unattributed: crash"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// Signals, to the supervisor and to its workers: no worker is left behind, no database is damaged, nobody is accused of
// what came from outside.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>

#include <algorithm>
#include <thread>

#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

class InterruptTest : public CliTest {
 protected:
  CommandOptions options() const { return {.directory = directory_.path(), .timeout = std::chrono::seconds(240)}; }

  std::vector<std::string> fuzz(std::vector<std::string> more) const {
    more.insert(more.begin(), {"fuzz", "--oracle=none", "--db=convict.db", "-q"});
    return more;
  }

  /// A value from the database, or nothing while there is none.
  std::string query(const std::string& sql) const {
    try {
      return SQLite::Database(file("convict.db"), SQLite::OPEN_READONLY, 1000).execAndGet(sql).getString();
    } catch (const SQLite::Exception&) {
      return "";
    }
  }

  /// The counts are written about once a second.
  bool is_under_way() const {
    return eventually([this] {
      const std::string cases = query("SELECT counts ->> 'cases' FROM campaigns ORDER BY id DESC");
      return !cases.empty() && cases != "0";
    });
  }

  testing::AssertionResult all_gone(const std::vector<pid_t>& workers) const {
    for (const pid_t pid : workers)
      if (!eventually([pid] { return !is_alive(pid); })) return testing::AssertionFailure() << pid << " is alive";
    return testing::AssertionSuccess();
  }
};

class Ending : public InterruptTest, public testing::WithParamInterface<int> {};

TEST_P(Ending, PrintsASummaryAndLeavesNoWorker) {
  Command command(fuzz({"--time=1h", "-j", "2"}), options());
  ASSERT_TRUE(is_under_way());
  const std::vector<pid_t> workers = children_of(command.pid());
  command.signal(GetParam());
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(workers.size(), 2);
  EXPECT_TRUE(all_gone(workers));
}

INSTANTIATE_TEST_SUITE_P(By, Ending, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) { return info.param == SIGINT ? "SIGINT" : "SIGTERM"; });

TEST_F(InterruptTest, ASignalLeavesASoundDatabase) {
  Command command(fuzz({"--time=1h"}), options());
  ASSERT_TRUE(is_under_way());
  command.signal(SIGINT);
  command.wait();
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(query("SELECT state FROM campaigns"), "interrupted");
  EXPECT_NE(query("SELECT ended FROM campaigns"), "");
}

/// A terminal sends the signal to the workers too.
TEST_F(InterruptTest, CtrlCIsNoCrashOfAWorker) {
  Command command(fuzz({"--time=1h", "--format=json"}), options());
  ASSERT_TRUE(is_under_way());
  command.signal_group(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.json()["worker_deaths"], 0);
  EXPECT_TRUE(result.json()["mismatches"].empty());
}

TEST_F(InterruptTest, LoadingCanBeInterrupted) {
  Command command(fuzz({"--plugin=" + plugin("slow_to_load")}), options());
  ASSERT_TRUE(eventually([&] { return !children_of(command.pid()).empty(); }));
  std::this_thread::sleep_for(milliseconds(300));  // until it loads
  command.signal(SIGINT);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_EQ(result.err, "");
}

TEST_F(InterruptTest, AHangCanBeInterrupted) {
  Command command(fuzz({"--plugin=" + plugin("faulty"), "--target=hangs", "--timeout=1h", "--time=1h"}), options());
  ASSERT_TRUE(eventually([&] { return !children_of(command.pid()).empty(); }));
  std::this_thread::sleep_for(milliseconds(500));  // until it hangs
  const std::vector<pid_t> workers = children_of(command.pid());
  command.signal(SIGINT);
  EXPECT_EQ(command.wait().exit_code, 130);
  EXPECT_TRUE(all_gone(workers));
}

TEST_F(InterruptTest, AReplayCanBeInterrupted) {
  write_file(file("some.cases"), "conv2d in=5\n");
  Command command(
      {"replay", "some.cases", "--plugin=" + plugin("faulty"), "--target=hangs", "--oracle=none", "--timeout=1h"},
      options());
  ASSERT_TRUE(eventually([&] { return !children_of(command.pid()).empty(); }));
  std::this_thread::sleep_for(milliseconds(500));
  command.signal(SIGINT);
  EXPECT_EQ(command.wait().exit_code, 130);
}

TEST_F(InterruptTest, WorkersDieWithTheirSupervisor) {
  Command command(fuzz({"--time=1h", "-j", "2"}), options());
  ASSERT_TRUE(is_under_way());
  const std::vector<pid_t> workers = children_of(command.pid());
  command.signal(SIGKILL);
  EXPECT_EQ(command.wait().signal, SIGKILL);
  EXPECT_EQ(workers.size(), 2);
  EXPECT_TRUE(all_gone(workers));
}

TEST_F(InterruptTest, AHangingWorkerDiesWithItsSupervisor) {
  Command command(fuzz({"--plugin=" + plugin("faulty"), "--target=hangs", "--timeout=1h", "--time=1h"}), options());
  ASSERT_TRUE(eventually([&] { return !children_of(command.pid()).empty(); }));
  std::this_thread::sleep_for(milliseconds(500));
  const std::vector<pid_t> workers = children_of(command.pid());
  command.signal(SIGKILL);
  command.wait();
  EXPECT_TRUE(all_gone(workers));
}

TEST_F(InterruptTest, TheDatabaseSurvivesTheSupervisor) {
  Command command(fuzz({"--plugin=" + plugin("guilty"), "--profile=output-padding", "--time=1h"}), options());
  ASSERT_TRUE(is_under_way());
  command.signal(SIGKILL);
  command.wait();
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
  EXPECT_NE(query("SELECT count(*) FROM mismatches"), "0");
  EXPECT_EQ(run(fuzz({"--target=direct", "--cases=10"})).exit_code, 0) << "the next campaign can use it";
}

/// Kills workers that have been at work for a while, until ten have died or the campaign is over.
int kill_workers(Command& command) {
  int kills = 0;
  while (kills < 10) {
    const bool any =
        eventually([&] { return command.has_ended() || !children_of(command.pid()).empty(); }, std::chrono::seconds(5));
    if (!any || command.has_ended()) break;
    const std::vector<pid_t> workers = children_of(command.pid());
    std::this_thread::sleep_for(milliseconds(300));
    if (!workers.empty() && is_alive(workers.front()) && kill(workers.front(), SIGKILL) == 0) ++kills;
  }
  return kills;
}

TEST_F(InterruptTest, TheCampaignGoesOnWhenWorkersAreKilled) {
  Command command(fuzz({"--cases=100000", "--format=json"}), options());
  EXPECT_GT(kill_workers(command), 0);
  const CommandResult result = command.wait();
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.exit_code << " " << result.err;
  const json report = result.json();
  ASSERT_TRUE(report.is_object()) << result.out;
  EXPECT_EQ(report["cases"], 100000);
  EXPECT_GT(report["worker_deaths"], 0);
  for (const json& mismatch : result.mismatches()) EXPECT_EQ(mismatch["suspect"], "unattributed");
}

/// The first worker has shown that loading works; what kills a later one while it loads comes from outside.
TEST_F(InterruptTest, TheCampaignGoesOnWhenAWorkerIsKilledWhileLoading) {
  Command command(fuzz({"--plugin=" + plugin("slow_to_load"), "--target=direct", "--time=4s"}), options());
  ASSERT_TRUE(is_under_way());
  const std::vector<pid_t> workers = children_of(command.pid());
  ASSERT_EQ(workers.size(), 1);
  kill(workers.front(), SIGKILL);
  ASSERT_TRUE(eventually([&] { return !is_alive(workers.front()) && !children_of(command.pid()).empty(); }));
  std::this_thread::sleep_for(milliseconds(300));  // it loads for two seconds
  for (const pid_t pid : children_of(command.pid())) kill(pid, SIGKILL);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

/// The second kill hits the process in which the target of the first one is tried alone.
TEST_F(InterruptTest, ATargetIsNotBlamedForKillsFromOutside) {
  Command command({"repro", "conv2d in=1500 k=15 ic=4", "--target=direct", "--oracle=none"}, options());
  ASSERT_TRUE(eventually([&] { return !children_of(command.pid()).empty(); }));
  std::this_thread::sleep_for(milliseconds(500));
  kill(children_of(command.pid()).at(0), SIGKILL);
  const CommandResult result = command.wait();
  EXPECT_EQ(result.out.find("blame: target"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("unattributed: crash"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace convict::test

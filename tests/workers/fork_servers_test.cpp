// SPDX-License-Identifier: Apache-2.0
//
// Workers are forked from a process that has loaded their libraries, where a copy is as good as loading again.
#include "workers/fork_servers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <map>
#include <string>

#include "run/proc.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

using nlohmann::json;

class ForkServersTest : public CliTest {
 protected:
  /// For a kernel that dies of each case: as many workers, and those that repeat deaths alone.
  CommandResult campaign(const std::string& keeps, int cases) const {
    return run_convict(
        {"fuzz", "--plugin=" + plugin("loads"), "--oracle=none", fmt::format("--cases={}", cases), "--illegal=0",
         "--where=conv2d.forward in<=4",  // few rows, each of which takes processes of its own
         "--format=json", "--min-judged=0", "--shrink=none", "-q", "--db=" + keeps + ".db"},
        {.directory = directory_.path(),
         .environment = {"CONVICT_TEST_LOADS=" + file(keeps), "CONVICT_TEST_KEEPS=" + keeps}});
  }
  size_t loads(const std::string& keeps) const { return read_file(file(keeps)).size(); }
};

/// What was found, without what differs by chance.
json found_in(const CommandResult& result) {
  json rows = json::array();
  for (const json& row : result.mismatches()) rows.push_back({row["signature"], row["hits"], row["verdict"]});
  return rows;
}

TEST_F(ForkServersTest, ALibraryIsLoadedAFewTimesHoweverOftenItDies) {
  const CommandResult result = campaign("nothing", 30);
  ASSERT_EQ(result.exit_code, 1) << result.err;
  EXPECT_GE(result.json()["worker_deaths"], 30);
  // The survey, the first worker, two servers (of the campaign and of repetitions), and while those are loading.
  EXPECT_LE(loads("nothing"), 12U);
}

TEST_F(ForkServersTest, WhatAForkDoesNotCopyIsLoadedAgain) {
  constexpr int kCases = 15;  // more than the loads of a campaign whose workers are forked, however many die
  const json rows = found_in(campaign("nothing", kCases));
  ASSERT_FALSE(rows.empty());
  for (const char* keeps : {"thread", "file", "memory"}) {
    EXPECT_EQ(found_in(campaign(keeps, kCases)), rows) << keeps;
    EXPECT_GE(loads(keeps), size_t{kCases}) << keeps;
  }
}

class ServersTest : public testing::Test {
 protected:
  ServersTest() {
    settings_.program = CONVICT_PROGRAM;
    settings_.worker.roster.targets = {"direct"};
    settings_.worker.roster.oracles = {"none"};
  }
  /// Until it can fork, or cannot.
  void prepare(const workers::SupervisionSettings& settings) {
    servers_.start(settings);
    while (servers_.state(settings) == workers::ForkServers::State::kLoading) {
      std::vector<run::WorkerProcess*> loading;
      servers_.listen(loading);
      pollfd answer = {loading.at(0)->result_fd(), POLLIN, 0};
      poll(&answer, 1, -1);
    }
  }
  workers::SupervisionSettings settings_;
  workers::ForkServers servers_;
};

TEST_F(ServersTest, AForkedWorkerIsAChildOfItsSupervisor) {
  EXPECT_EQ(servers_.fork(settings_), nullptr);
  prepare(settings_);
  const auto worker = servers_.fork(settings_);
  ASSERT_NE(worker, nullptr);
  EXPECT_FALSE(worker->has_ended());
  worker->kill();
  EXPECT_EQ(worker->wait().signal, SIGKILL);
}

/// A server for each name would drive out those of libraries: there are six at most.
TEST_F(ServersTest, NativeKernelsShareAServer) {
  prepare(settings_);
  settings_.worker.roster.targets = {"fft"};
  EXPECT_NE(servers_.fork(settings_), nullptr);
  settings_.worker.roster.targets = {"onednn"};
  EXPECT_EQ(servers_.fork(settings_), nullptr);
}

/// It ends when its supervisor closes the pipe, like any worker.
TEST_F(ServersTest, AForkedWorkerKnowsItsOwnPipes) {
  prepare(settings_);
  const auto first = servers_.fork(settings_), second = servers_.fork(settings_);
  ASSERT_TRUE(first && second);
  for (const auto& worker : {first.get(), second.get()}) {
    worker->send(workers::to_line(settings_.worker));
    std::optional<run::WorkerProcess::Line> line;
    while (!line && worker->receive()) line = worker->take_line();
    ASSERT_TRUE(line && line->genuine);
    EXPECT_TRUE(std::holds_alternative<workers::Loaded>(workers::report_from(line->text)));
  }
}

TEST_F(ServersTest, OtherImplementationsOrVariablesNeedAnotherServer) {
  prepare(settings_);
  workers::SupervisionSettings other = settings_;
  other.worker.environment = {{"CONVICT_ISA", "baseline"}};
  EXPECT_EQ(servers_.fork(other), nullptr);
  other = settings_;
  other.worker.roster.plugins = {"another.so"};
  EXPECT_EQ(servers_.fork(other), nullptr);
  other = settings_;
  other.worker.seed = 7;  // each worker gets the rest of its settings itself
  EXPECT_NE(servers_.fork(other), nullptr);
}

TEST_F(ServersTest, WhatCannotBeLoadedIsSpawned) {
  settings_.worker.roster.targets = {"nobody"};
  prepare(settings_);
  EXPECT_EQ(servers_.fork(settings_), nullptr);
}

TEST_F(ServersTest, TheOneThatWasNotUsedForLongestEnds) {
  prepare(settings_);
  for (const char* value : {"1", "2", "3", "4", "5", "6"}) {
    workers::SupervisionSettings other = settings_;
    other.worker.environment = {{"CONVICT_TEST_SERVER", value}};
    prepare(other);
    EXPECT_NE(servers_.fork(other), nullptr) << value;
  }
  EXPECT_EQ(servers_.fork(settings_), nullptr);
}

}  // namespace
}  // namespace convict::test

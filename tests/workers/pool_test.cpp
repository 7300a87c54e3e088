// SPDX-License-Identifier: Apache-2.0
//
// Nobody waits for somebody else's trial: while a task waits for some workers, those of another one go on.
#include "workers/pool.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/error.h"
#include "run/flight_record.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

constexpr uint64_t kCases = 10'000;  // each of them is told of in more than a kilobyte: a pipe holds a megabyte
constexpr uint64_t kBatch = 20'000;  // cases: some seconds for each

workers::SupervisionSettings settings_for(const std::string& target) {
  workers::SupervisionSettings settings;
  settings.program = CONVICT_PROGRAM;
  settings.worker.roster.plugins = {plugin("faulty")};
  settings.worker.roster.targets = {target};
  settings.worker.roster.oracles = {"none"};
  return settings;
}

/// Goes on without an end, until the other worker has done all its cases.
Task<void> until_done(workers::Pool& pool, const run::FlightRecord& other) {
  workers::Workers workers(pool, settings_for("chatty"));
  workers.put({0, UINT64_MAX / 2});
  while (co_await workers.next())
    if (other.counted == kCases - 1) workers.stop();
}

/// Has others look into the first mismatch. Returns how many it was told of before the answer.
Task<uint64_t> mismatches_meanwhile(workers::Pool& pool) {
  workers::Workers workers(pool, settings_for("wrong-shape"));
  workers.put({0, kCases});
  uint64_t mismatches = 0, before_the_answer = 0;
  const auto look = [&](const run::FlightRecord& record) -> Task<void> {
    co_await until_done(pool, record);
    before_the_answer = mismatches;
  };
  workers::Tasks trials;
  while (const auto answer = co_await workers.next()) {
    const auto* sighting = std::get_if<workers::Sighting>(&*answer);
    if (sighting && mismatches++ == 0) trials.start(look(*sighting->record));
    trials.drop_finished();
    workers.expect_more(!trials.empty());
  }
  co_return before_the_answer;
}

TEST(Pool, WorkersGoOnWhileSomethingIsLookedInto) {
  workers::Pool pool;
  EXPECT_GT(pool.finish(mismatches_meanwhile(pool)), kCases / 2) << "of those that it was told of before the answer";
}

/// Puts work without an end, and finishes with the first mismatch. Returns how many cases were reported.
Task<uint64_t> reported_until_one_mismatch(workers::Pool& pool) {
  workers::Workers workers(pool, settings_for("wrong-shape"));
  uint64_t put = 0, reported = 0;
  while (const auto answer = co_await workers.next()) {
    if (std::holds_alternative<workers::Sighting>(*answer)) workers.finish();
    if (const auto* told = std::get_if<workers::Reported>(&*answer)) reported += told->work.count;
    for (; workers.wants() > 0; put += kBatch) workers.put({put, kBatch});
  }
  co_return reported;
}

TEST(Pool, WhatAWorkerHasAheadIsLeftWhenTheTimeIsUp) {
  workers::Pool pool;
  const uint64_t reported = pool.finish(reported_until_one_mismatch(pool));
  EXPECT_GT(reported, 0u);
  EXPECT_LT(reported, kBatch) << "it went on with what it had";
}

TEST(Pool, WorkersMayBeLeftInTheMiddle) {
  workers::Pool pool;
  const auto until_one_mismatch = [&]() -> Task<std::string> {
    workers::Workers workers(pool, settings_for("wrong-shape"));
    workers.put({0, kCases});
    while (const auto answer = co_await workers.next())
      if (const auto* sighting = std::get_if<workers::Sighting>(&*answer)) co_return sighting->mismatch.suspect;
    co_return "";
  };
  EXPECT_EQ(pool.finish(until_one_mismatch()), "wrong-shape");
}

TEST(Pool, WhatATaskThrowsReachesWhoWaitsForIt) {
  workers::Pool pool;
  const auto throws = [&]() -> Task<void> {
    workers::Workers workers(pool, settings_for("wrong-shape"));
    workers.put({0, kCases});
    while (const auto answer = co_await workers.next())
      if (std::holds_alternative<workers::Sighting>(*answer)) throw UsageError("the disk is full");
  };
  EXPECT_THROW(pool.finish(throws()), UsageError);
}

/// Notes who has a turn, until it is told to end.
class PoolTurns : public testing::Test {
 protected:
  Task<void> take(std::string suspect, bool alone, int who) {
    const auto turn = co_await pool_.turn(suspect, alone);
    begun_.push_back(who);
    workers::Workers workers(pool_, settings_for("wrong-shape"));
    workers.put({0, UINT64_MAX / 2});
    while (co_await workers.next()) {
    }
  }
  void start(const std::string& suspect, bool alone) {
    trials_.emplace_back(take(suspect, alone, static_cast<int>(trials_.size())));
    trials_.back()->start();
    pool_.step({});
  }
  void end(size_t who) {
    trials_[who].reset();
    pool_.step({});
  }
  workers::Pool pool_;
  std::vector<int> begun_;
  std::vector<std::optional<Task<void>>> trials_;
};

TEST_F(PoolTurns, OneOfASuspectAndTwoAtOnce) {
  for (const char* suspect : {"a", "a", "b", "c"}) start(suspect, false);
  EXPECT_EQ(begun_, (std::vector{0, 2}));
  end(2);
  EXPECT_EQ(begun_, (std::vector{0, 2, 3}));
  end(0);
  EXPECT_EQ(begun_, (std::vector{0, 2, 3, 1}));
}

TEST_F(PoolTurns, WhoIsAloneWaitsForTheOthersAndHoldsUpThoseBehind) {
  start("a", false);
  start("b", true);
  start("c", false);
  EXPECT_EQ(begun_, (std::vector{0}));
  end(0);
  EXPECT_EQ(begun_, (std::vector{0, 1}));
  end(1);
  EXPECT_EQ(begun_, (std::vector{0, 1, 2}));
}

TEST_F(PoolTurns, WhoGivesUpWaitingIsForgotten) {
  for (const char* suspect : {"a", "a", "a"}) start(suspect, false);
  end(1);
  end(0);
  EXPECT_EQ(begun_, (std::vector{0, 2}));
}

struct Covered {
  Coverage seen;
  size_t told = 0;
};

/// What workers tell of the coverage of so many cases.
Covered covered(uint64_t cases, const Coverage* before) {
  workers::SupervisionSettings settings = settings_for("accepts-anything");
  settings.worker.coverage = workers::CoverageOf::kAll;
  settings.at_start = [before](workers::WorkerSettings& worker) {
    if (before) worker.seen.tuples = before->to_text();
  };
  workers::Pool pool;
  workers::Workers workers(pool, settings);
  workers.put({0, cases});
  Covered result;
  const auto add_up = [&]() -> Task<void> {
    while (const auto answer = co_await workers.next())
      if (const auto* finished = std::get_if<workers::Finished>(&*answer)) {
        result.told += finished->done.tuples.ids.size();
        result.seen.apply(finished->done.tuples.ids, finished->done.covered);
      }
  };
  pool.finish(add_up());
  return result;
}

TEST(KnownTuples, IsNotToldAgainAndCountsTheSame) {
  const Covered first = covered(200, nullptr), again = covered(600, nullptr), without = covered(600, &first.seen);
  Coverage one = first.seen, other = first.seen;
  one.merge(again.seen);
  other.merge(without.seen);
  EXPECT_EQ(one.to_text(), other.to_text());
  EXPECT_LT(without.told, again.told - first.told / 2);
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// Nobody waits for somebody else's trial: while a task waits for one supervisor, the workers of another one go on.
#include "workers/pool.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "run/flight_record.h"
#include "tests/cli/command.h"
#include "workers/trials.h"

namespace convict::test {
namespace {

constexpr uint64_t kCases = 10'000;  // each of them is told of in more than a kilobyte: a pipe holds a megabyte
constexpr uint64_t kBatch = 20'000;  // cases: some seconds for each

workers::SupervisorSettings settings_for(const std::string& target) {
  workers::SupervisorSettings settings;
  settings.program = CONVICT_PROGRAM;
  settings.worker.roster.plugins = {plugin("faulty")};
  settings.worker.roster.targets = {target};
  settings.worker.roster.oracles = {"none"};
  return settings;
}

/// Has one piece of work, however long it takes.
class OneWork : public workers::Assignment {
 protected:
  explicit OneWork(uint64_t cases) : work_{{0, cases}} {}
  void on_roster(const std::vector<workers::RosterEntry>&, const std::vector<std::string>&) override {}
  std::optional<workers::Work> next_work(uint64_t) override { return std::exchange(work_, std::nullopt); }
  workers::Order order(const workers::Work& work) const override { return work; }
  void on_mismatch(const workers::Sighting&) override {}
  void on_death(const workers::WorkerDeath&) override {}

 private:
  std::optional<workers::Work> work_;
};

/// Ends when the other worker has done all its cases.
class UntilTheOtherIsDone final : public OneWork {
 public:
  explicit UntilTheOtherIsDone(const run::FlightRecord& other) : OneWork(UINT64_MAX / 2), other_(other) {}

 private:
  Next on_tick(const workers::Counts&) override {
    return other_.counted == kCases - 1 ? Next::kAbort : Next::kContinue;
  }
  const run::FlightRecord& other_;
};

/// Has another supervisor look into the first mismatch.
class LooksInto final : public OneWork {
 public:
  explicit LooksInto(workers::Pool& pool) : OneWork(kCases), pool_(pool) {}
  uint64_t mismatches = 0, before_the_answer = 0;

 private:
  Task<void> look(const run::FlightRecord& record) {
    UntilTheOtherIsDone other(record);
    co_await workers::supervised(pool_, other, settings_for("chatty"));
    before_the_answer = mismatches;
  }
  void on_mismatch(const workers::Sighting& sighting) override {
    if (mismatches++ == 0) trials_.start(look(sighting.record));
  }
  bool expects_more() const override { return !trials_.empty(); }
  Next on_tick(const workers::Counts&) override {
    trials_.drop_finished();
    return Next::kContinue;
  }
  workers::Pool& pool_;
  workers::Trials trials_;
};

TEST(Pool, WorkersGoOnWhileSomethingIsLookedInto) {
  workers::Pool pool;
  LooksInto work(pool);
  pool.finish(workers::supervised(pool, work, settings_for("wrong-shape")));
  EXPECT_GT(work.before_the_answer, kCases / 2) << "of those that it was told of before the answer";
}

/// Has work without an end, and ends with the first mismatch.
class UntilOneMismatch final : public workers::Assignment {
 public:
  uint64_t handed_out = 0, reported = 0;
  bool has_found = false;

 private:
  void on_roster(const std::vector<workers::RosterEntry>&, const std::vector<std::string>&) override {}
  std::optional<workers::Work> next_work(uint64_t) override {
    return workers::Work{std::exchange(handed_out, handed_out + kBatch), kBatch};
  }
  workers::Order order(const workers::Work& work) const override { return work; }
  void on_mismatch(const workers::Sighting&) override { has_found = true; }
  void on_reported(const workers::Work& work) override { reported += work.count; }
  void on_death(const workers::WorkerDeath&) override {}
  Next on_tick(const workers::Counts&) override { return has_found ? Next::kFinish : Next::kContinue; }
};

TEST(Pool, WhatAWorkerHasAheadIsLeftWhenTheTimeIsUp) {
  UntilOneMismatch work;
  workers::supervise(work, settings_for("wrong-shape"));
  EXPECT_GT(work.reported, 0u);
  EXPECT_LT(work.reported, kBatch) << "it went on with what it had";
}

/// Notes who has a turn, until it is told to end.
class PoolTurns : public testing::Test {
 protected:
  Task<void> take(std::string lane, bool alone, int who) {
    const auto turn = co_await pool_.turn(lane, alone);
    begun_.push_back(who);
    Never never;
    co_await workers::supervised(pool_, never, settings_for("wrong-shape"));
  }
  /// Runs until it is ended.
  class Never final : public OneWork {
   public:
    Never() : OneWork(UINT64_MAX / 2) {}
  };
  void start(const std::string& lane, bool alone) {
    trials_.emplace_back(take(lane, alone, static_cast<int>(trials_.size())));
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

TEST_F(PoolTurns, OneOfALaneAndTwoAtOnce) {
  for (const char* lane : {"a", "a", "b", "c"}) start(lane, false);
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
  for (const char* lane : {"a", "a", "a"}) start(lane, false);
  end(1);
  end(0);
  EXPECT_EQ(begun_, (std::vector{0, 2}));
}

/// Adds up what workers tell of coverage.
class Covers final : public OneWork {
 public:
  Covers(uint64_t cases, const Coverage* before) : OneWork(cases), before_(before) {}
  Coverage seen;
  size_t told = 0;

 private:
  void on_coverage(const workers::Done& done) override {
    told += done.tuples.size();
    seen.apply(done.tuples, done.covered);
  }
  workers::KnownTuples known_tuples() const override {
    return before_ ? workers::KnownTuples{before_->to_text(), {}} : workers::KnownTuples{};
  }
  const Coverage* before_;
};

TEST(KnownTuples, IsNotToldAgainAndCountsTheSame) {
  workers::SupervisorSettings settings = settings_for("accepts-anything");
  settings.worker.coverage = CoverageOf::kAll;
  Covers first(200, nullptr), again(600, nullptr), without(600, &first.seen);
  workers::supervise(first, settings);
  workers::supervise(again, settings);
  workers::supervise(without, settings);
  Coverage one = first.seen, other = first.seen;
  one.merge(again.seen);
  other.merge(without.seen);
  EXPECT_EQ(one.to_text(), other.to_text());
  EXPECT_LT(without.told, again.told - first.told / 2);
}

}  // namespace
}  // namespace convict::test

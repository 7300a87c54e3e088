// SPDX-License-Identifier: Apache-2.0
//
// While a supervisor waits for another one, which repeats an accusation, its workers go on: what they send is read and
// kept, though it is more than a pipe holds.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "run/flight_record.h"
#include "tests/cli/command.h"
#include "workers/supervisor.h"
#include "workers/waiting_workers.h"

namespace convict::test {
namespace {

constexpr uint64_t kCases = 10'000;  // each of them is told of in more than a kilobyte: a pipe holds a megabyte

workers::SupervisorSettings settings_for(const std::string& target, workers::WaitingWorkers& waiting) {
  workers::SupervisorSettings settings;
  settings.program = CONVICT_PROGRAM;
  settings.waiting = &waiting;
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
  uint64_t on_death(const workers::WorkerDeath&) override { return 0; }

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

/// Waits for another supervisor at the first mismatch.
class Waits final : public OneWork {
 public:
  explicit Waits(workers::WaitingWorkers& waiting) : OneWork(kCases), waiting_(waiting) {}
  uint64_t mismatches = 0;

 private:
  void on_mismatch(const workers::Sighting& sighting) override {
    if (mismatches++ > 0) return;
    UntilTheOtherIsDone other(sighting.record);
    workers::supervise(other, settings_for("chatty", waiting_));
  }
  workers::WaitingWorkers& waiting_;
};

TEST(Waiting, SupervisorsWorkersGoOn) {
  workers::WaitingWorkers waiting;
  Waits work(waiting);
  workers::supervise(work, settings_for("wrong-shape", waiting));
  EXPECT_GT(work.mismatches, kCases / 2) << "some were lost";
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
  workers::WaitingWorkers waiting;
  workers::SupervisorSettings settings = settings_for("accepts-anything", waiting);
  settings.worker.coverage = true;
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

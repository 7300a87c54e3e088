// SPDX-License-Identifier: Apache-2.0
//
// A worker has work in reserve while its supervisor looks into a mismatch; when the campaign's time is up, nobody waits
// for what is left of it.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/cli/command.h"
#include "workers/supervisor.h"

namespace convict::test {
namespace {

constexpr uint64_t kBatch = 20'000;  // cases: some seconds for each

/// Has work without an end, and ends with the first mismatch.
class UntilOneMismatch final : public workers::Assignment {
 public:
  uint64_t handed_out = 0, reported = 0, batches_at_mismatch = 0;

 private:
  void on_roster(const std::vector<workers::RosterEntry>&, const std::vector<std::string>&) override {}
  std::optional<workers::Work> next_work(uint64_t) override {
    return workers::Work{std::exchange(handed_out, handed_out + kBatch), kBatch};
  }
  workers::Order order(const workers::Work& work) const override { return work; }
  void on_mismatch(const workers::Sighting&) override {
    if (batches_at_mismatch == 0) batches_at_mismatch = handed_out / kBatch;
  }
  void on_reported(const workers::Work& work) override { reported += work.count; }
  uint64_t on_death(const workers::WorkerDeath&) override { return 0; }
  Next on_tick(const workers::Counts&) override { return batches_at_mismatch > 0 ? Next::kFinish : Next::kContinue; }
};

TEST(Reserve, IsHandedOutBeforeAMismatchIsLookedIntoAndLeftWhenTheTimeIsUp) {
  workers::SupervisorSettings settings;
  settings.program = CONVICT_PROGRAM;
  settings.worker.roster.plugins = {plugin("faulty")};
  settings.worker.roster.targets = {"wrong-shape"};
  settings.worker.roster.oracles = {"none"};
  UntilOneMismatch work;
  workers::supervise(work, settings);
  EXPECT_EQ(work.batches_at_mismatch, 200u);
  EXPECT_GT(work.reported, 0u);
  EXPECT_LT(work.reported, kBatch) << "it went on with what it had in reserve";
}

}  // namespace
}  // namespace convict::test

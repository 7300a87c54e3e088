// SPDX-License-Identifier: Apache-2.0
#include "workers/start_record.h"

#include <fmt/format.h>
#include <signal.h>

#include "core/error.h"
#include "workers/worker_death.h"

namespace convict::workers {
namespace {

constexpr int kMostFailures = 10;       // in a row, of workers that once could be loaded
constexpr uint64_t kLongLife = 4096;    // cases: below, a worker tells less than it would be told

}  // namespace

bool StartRecord::may_load_later(bool any_has_loaded) const {
  return any_has_loaded && failed_loads_ < kMostFailures;
}

/// Others may kill workers at any time; but a library that kills its first worker would kill the next ones too, and
/// one that hangs would hang again.
void StartRecord::note_failed_load(const WorkerSlot& slot, const run::WorkerExit& exit,
                                   std::optional<Verdict> killed_for, bool any_has_loaded,
                                   const SupervisionSettings& settings) {
  const bool may_be_chance = any_has_loaded || (exit.signal == SIGKILL && !killed_for);
  if (!may_be_chance || ++failed_loads_ > kMostFailures)
    throw UsageError(describe_failed_load(slot, exit, killed_for, settings));
}

void StartRecord::note_end(const WorkerSlot& slot, std::optional<Verdict> killed_for, uint64_t memory) {
  const run::FlightRecord& record = slot.process().record();
  last_life_ = record.tally[Counter::kCases];
  const bool took_too_much = killed_for == Verdict::kOom;
  if (took_too_much) fills_memory_ = false;  // which may be all that it needed
  const bool useless =
      took_too_much && last_life_ == 0 && record.implementation == run::FlightRecord::kOwnCode;
  useless_ = useless ? useless_ + 1 : 0;
  if (useless_ < kMostFailures) return;
  throw CannotJudge(fmt::format("{} workers in a row have ended before their first case: {}", useless_,
                                describe_uselessness(slot, took_too_much, memory)));
}

void StartRecord::adapt(WorkerSettings& next) const {
  next.fills_memory &= fills_memory_;
  if (last_life_ < kLongLife) next.seen = {};
}

}  // namespace convict::workers

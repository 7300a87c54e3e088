// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/verdict.h"
#include "run/worker_process.h"
#include "workers/messages.h"
#include "workers/supervision_settings.h"
#include "workers/worker_slot.h"

namespace convict::workers {

/// How the starts and the ends of workers went so far: whether more should be started, and how.
class StartRecord {
 public:
  void note_loaded() { failed_loads_ = 0; }
  /// Whether to start another worker after one that says it cannot load. `any_has_loaded`: one could before.
  bool may_load_later(bool any_has_loaded) const;
  /// A worker has ended while it loaded; `killed_for`: we killed it. Throws UsageError where no other will do better.
  void note_failed_load(const WorkerSlot& slot, const run::WorkerExit& exit, std::optional<Verdict> killed_for,
                        bool any_has_loaded, const SupervisionSettings& settings);
  /// A worker that had loaded has ended. Throws CannotJudge if worker after worker ends in our own code before its
  /// first case: no case will ever be judged.
  void note_end(const WorkerSlot& slot, std::optional<Verdict> killed_for, uint64_t memory);
  /// Takes from the settings of the next worker what it need not know, or has not the memory for.
  void adapt(WorkerSettings& next) const;

 private:
  int failed_loads_ = 0, useless_ = 0;  // in a row
  uint64_t last_life_ = UINT64_MAX;     // cases of the worker that ended last
  bool fills_memory_ = true;
};

}  // namespace convict::workers

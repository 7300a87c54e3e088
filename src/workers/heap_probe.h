// SPDX-License-Identifier: Apache-2.0
//
// Finds the call that damaged the heap. The damage may be noticed calls later, by another implementation that asks for
// memory. So the suspects repeat what their process had done, each alone, with an allocator that notices at once.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/task.h"
#include "workers/lone_run.h"
#include "workers/messages.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"
#include "workers/worker_death.h"

namespace convict::workers {

/// The settings for workers with this allocator; a call may take longer.
SupervisionSettings with_heap_guard(SupervisionSettings settings, const std::string& guard);

/// Whether the process died in a call because the allocator has noticed damage.
bool is_heap_damage(const WorkerDeath& death, const std::string& guard);

/// The death of a process with this allocator that computes this case and no other, if the allocator has noticed
/// damage.
Task<std::optional<WorkerDeath>> heap_damage(Pool& pool, Suspect suspect, std::string line, std::string guard,
                                             SupervisionSettings settings);

class HeapProbe {
 public:
  /// The call that did it: the implementation, and the death on its case with no other case before it.
  struct Author {
    const RosterEntry* entry = nullptr;
    WorkerDeath death;
    std::string line, guard;
  };

  /// `suspects` are positions in the roster, in the order in which they are tried; `lines` what the process had done,
  /// with the case it died on at the end. The roster and the settings must outlive the task, which is one of one pool.
  Task<std::optional<Author>> author(Pool& pool, std::vector<int> suspects, const std::vector<RosterEntry>& roster,
                                     std::vector<std::string> lines, const SupervisionSettings& settings);

  /// "; with the package electric-fence, ...", if an allocator is not installed; else nothing.
  static std::string what_would_help();

 private:
  using Clock = std::chrono::steady_clock;

  Task<std::optional<Author>> author(Pool& pool, const RosterEntry& suspect, std::string guard,
                                     const std::vector<std::string>& lines, const SupervisionSettings& settings);
  /// Time that probes of this suspect may still take: these allocators make calls many times slower, and a campaign
  /// is not there for them.
  std::chrono::milliseconds time_left(const RosterEntry& suspect) const;

  const Clock::time_point started_ = Clock::now();
  Clock::duration spent_{};
  std::set<std::string> unfit_ = {"electric-fence libtorch"};  // needs more mappings than Linux allows
};

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
//
// Finds the implementation that killed a worker. The one that was running is the first suspect. But a heap that one
// library corrupts may break in the next one that allocates, and a thread of one may fault while another runs. So each
// suspect is run alone, and only what dies then is blamed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/task.h"
#include "workers/answers.h"
#include "workers/lone_run.h"
#include "workers/messages.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

/// The settings for workers with this allocator; a call may take longer.
SupervisionSettings with_heap_guard(SupervisionSettings settings, const std::string& guard);

/// Whether the process died in a call because the allocator has noticed damage.
bool is_heap_damage(const WorkerDeath& death, const std::string& guard);

/// The death of a process with this allocator that computes this case and no other, if the allocator has noticed
/// damage.
Task<std::optional<WorkerDeath>> heap_damage(Pool& pool, Suspect suspect, std::string line, std::string guard,
                                             SupervisionSettings settings);

/// Finds the call that damaged the heap. The damage may be noticed calls later, by another implementation that asks for
/// memory. So the suspects repeat what their process had done, each alone, with an allocator that notices at once.
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

/// Positions in the roster: who died, then the other variants of its library, because most damage shows in the library
/// that did it. Then other foreign code, which is more likely to corrupt memory than ours. Among equals, who was called
/// last comes first: most damage shows soon.
std::vector<int> by_suspicion(const std::vector<RosterEntry>& roster, const WorkerDeath& death);

/// The mismatch for a death on this case: of the implementation that dies alone, with what it needs for that in the
/// certificate, or the blame `nobody`. What is given as a reference must outlive the task.
Task<Mismatch> attributed(Pool& pool, const WorkerDeath& death, const Case& lost,
                          const std::vector<RosterEntry>& roster, const SupervisionSettings& settings, LinesOf lines_of,
                          HeapProbe& heap);

/// Who must be left out, so that all others can be judged on the case (as Work::without): whom the death was put down
/// to, or else who was running; and those who were left out before. 0 if that is not known, or if no target would be
/// left.
uint64_t without_dead(const WorkerDeath& death, const Mismatch& put_down_to, const std::vector<RosterEntry>& roster);

/// The mismatch if the implementation that was running is to blame, with the certificate of the death.
Mismatch first_suspicion(const WorkerDeath& death, const Case& lost, const std::vector<RosterEntry>& roster);

/// The attributions of a campaign. Each costs processes, and a kernel that dies of every case would cost thousands: so
/// deaths with one first suspicion are put down to whom the last three of them were put down to.
class Attributions {
 public:
  /// The mismatch without a trial, with `runs` 0, where the last ones were enough. Only hits of a row that is there are
  /// to be counted so.
  std::optional<Mismatch> without_trial(const Mismatch& suspected) const;

  Task<Mismatch> attributed(Pool& pool, const WorkerDeath& death, const Case& lost,
                            const std::vector<RosterEntry>& roster, const SupervisionSettings& settings,
                            LinesOf lines_of);

 private:
  struct Last {
    Mismatch found;
    int same = 0;  // in a row, of its suspect
  };
  std::map<std::string, Last> last_;  // by the signature of the first suspicion
  HeapProbe heap_;
};

}  // namespace convict::workers

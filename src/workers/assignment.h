// SPDX-License-Identifier: Apache-2.0
//
// What a supervisor works for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/ratios.h"
#include "core/stages.h"
#include "core/verdict.h"
#include "run/flight_record.h"
#include "run/worker_process.h"
#include "workers/messages.h"
#include "workers/supervisor_settings.h"
#include "workers/worker_death.h"

namespace convict::workers {

/// A mismatch as a worker has reported it.
struct Sighting {
  uint64_t index = 0;  // of its case
  Mismatch mismatch;
  PerCounter<uint64_t> counts;  // what the case adds to the tally
  std::vector<Work> before;  // what the process had done before this case, the last at the end; not all of a long life
  const run::FlightRecord& record;  // of the process, which goes on
};

/// Sums over all workers, dead or alive.
struct Counts : PerCounter<uint64_t> {
  double cpu_seconds = 0;                   // of the workers, without loading, up to the last case each has counted
  std::vector<uint64_t> computed, refused;  // by roster position
  std::array<double, kStages.size()> stage_seconds{};  // of the workers, wall time, by Stage; what resumes begins anew
  std::vector<double> call_seconds;                    // of Stage::kCall, by roster position

  /// Adds those of other workers with the same roster.
  Counts& operator+=(const Counts& other);
};

/// The client of a supervisor: gives work and receives results. Called from supervise() only.
class Assignment {
 public:
  enum class Next { kContinue, kFinish, kAbort };

  virtual ~Assignment() = default;
  /// Called once, after the first worker has loaded.
  virtual void on_roster(const std::vector<RosterEntry>& roster, const std::vector<std::string>& notes) = 0;
  /// The next work of about `count` cases; nullopt if there is no more.
  virtual std::optional<Work> next_work(uint64_t count) = 0;
  /// The order that is sent to a worker for this work.
  virtual Order order(const Work& work) const = 0;
  virtual void on_mismatch(const Sighting& sighting) = 0;
  /// These cases were examined to the end, and on_mismatch was called for all of their mismatches. Every case is in
  /// exactly one such call, or in one on_death that is not `reported`.
  virtual void on_reported(const Work& /*work*/) {}
  virtual void on_case(const CaseReport& /*report*/) {}
  virtual void on_layer(const LayerReport& /*report*/) {}
  virtual void on_surveyed(const Surveyed& /*surveyed*/) {}
  virtual void on_refusals(const std::vector<Refusals>& /*refusals*/) {}
  /// Ratios of the cases of this work, all of which on_reported had. Not called for work on which a worker died.
  virtual void on_ratios(const Work& /*work*/, const Ratios& /*ratios*/) {}
  /// Tuples whose count rose, if the settings ask for coverage. Not called for a batch on which a worker died.
  virtual void on_coverage(const Done& /*done*/) {}
  /// The case is given up, unless it is handed out again without those who died of it (as Work::without), so that the
  /// death costs nobody else a verdict.
  virtual void on_death(const WorkerDeath& death) = 0;
  /// Whether to hand out a case again after a foreign process killed its worker, instead of calling on_death.
  virtual bool wants_again(uint64_t /*index*/) { return false; }
  /// The kinds of cases that each implementation is spared from now on. Called when a worker starts.
  virtual examine::SparedKinds spared() const { return {}; }
  /// What on_coverage need not have again. Called when a worker starts.
  virtual KnownTuples known_tuples() const { return {}; }
  /// Whether work may come later, though there is none.
  virtual bool expects_more() const { return false; }
  /// Called several times a second. kFinish: hand out no more work, and leave out
  /// cases that are not begun; kAbort: kill the workers now.
  virtual Next on_tick(const Counts&) { return Next::kContinue; }
};

}  // namespace convict::workers

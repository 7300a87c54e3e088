// SPDX-License-Identifier: Apache-2.0
//
// What comes back from workers, in the order in which it comes.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/certificate.h"
#include "core/counters.h"
#include "core/verdict.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"
#include "workers/messages.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

class WorkerSlot;

/// What generate() needs to find the cases of a campaign again (Place::answers()), by index, where it is not 0.
using Draws = std::map<uint64_t, uint32_t>;
Draws draws_in(const run::FlightRecord& record);

/// Which implementations were asked or called, by the index of the case: a bit for each position in the roster.
using CallsByCase = std::map<uint64_t, uint64_t>;
CallsByCase calls_in(const run::FlightRecord& record);

/// The death of a worker: it died, or was killed because it exceeded its time or memory. The case is not run again,
/// unless the task puts it again, without the implementations that died of it (Work::without), so that the death costs
/// no other a verdict.
struct WorkerDeath {
  Verdict verdict = Verdict::kCrash;
  uint64_t index = 0;                          // of the case that is lost
  int position = run::FlightRecord::kOwnCode;  // in the roster: the implementation that was running
  bool reported = false;                       // Reported had the case already: the worker died after it
  bool counted = false;                        // the tally has it
  int memory_holder =
      run::FlightRecord::kOwnCode;  // if killed for its memory: the implementation that left most memory behind
  double lost_seconds = 0;          // from the call to the kill, and what another worker takes to load
  Work work;                        // the work that the worker was given, from the first case on
  std::vector<Work> before;         // what its process had done before this case, the last at the end
  Draws draws;                      // of this case and of those before
  CallsByCase calls;                // likewise, as far back as the record goes
  std::string case_text;            // of a worker that makes up its own cases; else empty
  std::string relation_call;        // the call of a relation that was running, as a case with default data; or empty
  struct {
    int number = 0;  // 0 if it exited, or if we killed it
    run::AddressClass touched = run::AddressClass::kElsewhere;  // by the access that raised it
  } signal;
  Certificate certificate;          // what of this people read, and the end of the output

  /// A foreign process killed it: no implementation is to blame.
  bool from_outside() const { return signal.number == SIGKILL; }
};

/// What the flight record and the output of a worker that has ended tell of its end; without `reported`, `counted` and
/// `lost_seconds`, which its supervision knows. It had work; `killed_for`: we killed it. `roster_size`:
/// implementations; `memory`: the bytes it was allowed.
WorkerDeath describe_death(WorkerSlot& slot, const run::WorkerExit& exit, std::optional<Verdict> killed_for,
                           size_t roster_size, uint64_t memory);

/// The message of a worker that ended before it had loaded what `settings` name. `killed_for`: we killed it.
std::string describe_failed_load(const WorkerSlot& slot, const run::WorkerExit& exit, std::optional<Verdict> killed_for,
                                 const SupervisionSettings& settings);

/// Why workers end before their first case, by the last of them. `memory`: bytes that they were allowed.
std::string describe_uselessness(const WorkerSlot& slot, bool for_memory, uint64_t memory);

/// The same of a fork server, which had to be killed.
std::string describe_hanging_load(const SupervisionSettings& settings);

/// The first worker has loaded everything.
struct Began {
  std::vector<RosterEntry> roster;
  std::vector<std::string> notes;
};

/// A mismatch as a worker has reported it.
struct Sighting {
  uint64_t index = 0;  // of its case
  Mismatch mismatch;
  PerCounter<uint64_t> counts;  // what the case adds to the tally
  std::vector<Work> before;  // what the process had done before this case, the last at the end; not all of a long life
  const run::FlightRecord* record = nullptr;  // of the process, which goes on; until the next answer
};

/// These cases were examined to the end, and all of their mismatches have come. Every case is in exactly one such
/// answer, or in one WorkerDeath that is not `reported`.
struct Reported {
  Work work;
};

/// What a worker says of all cases of a work, after they were examined. Does not come of work on which a worker died.
struct Finished {
  Work work;
  Done done;
};

/// Work that comes back: Workers::recall().
struct Recalled {
  std::vector<Work> works;
};

/// Comes several times a second, and whenever work may be wanted: Workers::wants().
struct Tick {};

using Answer =
    std::variant<Began, Sighting, Reported, CaseReport, LayerReport, Surveyed, Finished, WorkerDeath, Recalled, Tick>;

/// Sums over all workers, dead or alive.
struct Counts : PerCounter<uint64_t> {
  double cpu_seconds = 0;                   // of the workers, without loading, up to the last case each has counted
  std::vector<uint64_t> computed, refused;  // by roster position
  std::array<double, kStages.size()> stage_seconds{};  // of the workers, wall time, by Stage; what resumes begins anew
  std::vector<double> call_seconds;                    // of Stage::kCall, by roster position

  Counts& operator+=(const PerCounter<uint64_t>& other);
  /// Adds those of other workers with the same roster.
  Counts& operator+=(const Counts& other);
  /// Adds those of one process. The vectors have as many entries as the roster.
  Counts& operator+=(const run::FlightRecord& record);
};

}  // namespace convict::workers

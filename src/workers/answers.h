// SPDX-License-Identifier: Apache-2.0
//
// What comes back from workers, in the order in which it comes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/counters.h"
#include "core/verdict.h"
#include "run/flight_record.h"
#include "workers/messages.h"
#include "workers/worker_death.h"

namespace convict::workers {

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

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
//
// One case through all stages: fill -> run -> judge. The file to read first.
#pragma once

#include <span>
#include <vector>

#include "core/case.h"
#include "judge/judge.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"
#include "run/loader.h"

namespace convict {

/// What came out of one case.
struct Examination {
  std::vector<Testimony> testimonies;  // one per subject, in their order
  std::vector<Mismatch> mismatches;
  bool judged = false;     // a target's result was held against the reference
  bool witnessed = false;  // judged, and every oracle computed it too
};

/// Runs every subject on the case and judges them. Throws UsageError if the case is not legal. Whatever a subject does
/// to this process, `record` names the culprit; `memory` is scratch that the next case reuses. A case that needs more
/// than `most_bytes` of us is refused on everybody's behalf.
Examination examine(const Case& c, std::span<const Subject> subjects, GuardedMemory& memory, FlightRecord& record,
                    double most_bytes);

/// The same for a case that is *not* legal, which every subject must refuse.
Examination examine_illegal(const Case& c, std::span<const Subject> subjects, GuardedMemory& memory,
                            FlightRecord& record, double most_bytes);

}  // namespace convict

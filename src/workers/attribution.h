// SPDX-License-Identifier: Apache-2.0
//
// Who killed a worker. The implementation that was running is the first suspect, but a heap that one library corrupts
// may break under the next one that allocates: so suspects are run alone before anybody is blamed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workers/supervisor.h"

namespace convict::workers {

/// The case that a worker died on: the one it noted, or else the one that its settings number so.
Case lost_case(const WorkerDeath& death, const WorkerSettings& worker);

struct Attribution {
  int position = run::FlightRecord::kOwnCode;  // in the roster, or kOwnCode if nobody could be convicted
  uint64_t index = 0;                          // of the case it died on when alone
  Verdict verdict = Verdict::kCrash;
  std::string how;  // the evidence, in words
};

/// Runs the case alone under the first suspect, then the whole batch before it under everybody in turn, each in a fresh
/// process without oracles. `order` is what a worker is told about work, as in Assignment. Of a worker that makes up
/// its cases itself, there is nothing but the case.
Attribution attribute_death(const WorkerDeath& death, const std::vector<RosterEntry>& roster,
                            const SupervisorSettings& settings, const std::function<Order(const Work&)>& order);

/// The mismatch that says so; `c` is the case with the attribution's index. Its certificate is left to the caller.
Mismatch mismatch_for(const Case& c, const Attribution& attribution, const std::vector<RosterEntry>& roster);

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
//
// Finds the implementation that killed a worker. The one that was running is the first suspect. But a heap that one
// library corrupts may break in the next one that allocates, so each suspect runs alone before it is blamed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workers/supervisor.h"

namespace convict::workers {

/// The case that a worker died on: the one it noted, or else the one that its settings give for the index.
Case lost_case(const WorkerDeath& death, const WorkerSettings& worker);

struct Attribution {
  int position = run::FlightRecord::kOwnCode;  // in the roster; kOwnCode if no implementation could be blamed
  uint64_t index = 0;                          // of the case that it died on when it ran alone
  Verdict verdict = Verdict::kCrash;
  std::string how;  // the evidence, in words
};

/// Runs the first suspect on the case, then every implementation in turn on the whole batch up to the case, each in a
/// fresh process without oracles. `order` gives the order for a piece of work, as in Assignment. For a worker that
/// makes up its own cases, the batch is the case alone.
Attribution attribute_death(const WorkerDeath& death, const std::vector<RosterEntry>& roster,
                            const SupervisorSettings& settings, const std::function<Order(const Work&)>& order);

/// The mismatch for an attribution; `c` is the case with its index. The caller adds the certificate.
Mismatch mismatch_for(const Case& c, const Attribution& attribution, const std::vector<RosterEntry>& roster);

}  // namespace convict::workers

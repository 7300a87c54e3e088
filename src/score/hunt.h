// SPDX-License-Identifier: Apache-2.0
//
// One run of a score: the cases of one seed for one implementation, in the order of their index.
#pragma once

#include "score/runs.h"
#include "workers/supervisor.h"

namespace convict::score {

/// Settings that all runs of one method with one seed share.
struct HuntSettings {
  workers::SupervisorSettings supervisor;  // one job; without a target
  uint64_t cases = 0;
  double budget_seconds = 0;
};

/// Searches for a case that detects the mutant. `control` may be null.
Run hunt(const Mutant& mutant, const Mutant* control, const HuntSettings& settings);

/// Examines the given number of cases and counts the mismatches.
ControlRun run_control(const Mutant& control, const HuntSettings& settings);

}  // namespace convict::score

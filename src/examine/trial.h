// SPDX-License-Identifier: Apache-2.0
//
// The hearing of one case: everybody is called as the case says, held against the reference, and looked at more closely
// where a first look leaves a doubt.
#pragma once

#include <vector>

#include "examine/rules.h"
#include "examine/scene.h"
#include "judge/judge.h"
#include "run/flight_record.h"

namespace convict::examine {

/// Where a hearing happens.
struct TrialContext {
  run::GuardedMemory& memory;
  run::FlightRecord& record;
  Yardstick yardstick;
  bool thorough = false, values = false;  // see ExaminationSettings
};

/// Calls everybody who has not refused, and fills in their results. Precondition: the scene is set. Returns how
/// many results were beyond the probabilistic bound on these data only.
int run_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results);

/// The same for a case that is not legal: who computes it has done enough.
void run_illegal_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results);

}  // namespace convict::examine

// SPDX-License-Identifier: Apache-2.0
//
// The hearing of one case: everybody is called as the case says, held against the reference, and looked at more closely
// where a first look leaves a doubt.
#pragma once

#include <vector>

#include "judge/judge.h"
#include "rules.h"
#include "run/flight_record.h"
#include "scene.h"

namespace convict {

/// Where a hearing happens.
struct Courtroom {
  GuardedMemory& memory;
  FlightRecord& record;
  Yardstick yardstick;
  bool thorough = false, values = false;  // see ExaminationSettings
};

/// Calls everybody who has not refused, and fills in their testimonies. Precondition: the scene is set. Returns how
/// many results were beyond the probabilistic bound on these data only.
int hear(const Scene& scene, const Courtroom& courtroom, std::vector<Testimony>& testimonies);

/// The same for a case that is not legal: who computes it has done enough.
void hear_illegal(const Scene& scene, const Courtroom& courtroom, std::vector<Testimony>& testimonies);

}  // namespace convict

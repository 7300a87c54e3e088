// SPDX-License-Identifier: Apache-2.0
//
// The trial of one case. Calls every implementation as the case says, compares its results with the reference, and
// examines doubtful results more closely.
#pragma once

#include <string>
#include <vector>

#include "examine/asked_relations.h"
#include "examine/rules.h"
#include "examine/scene.h"
#include "judge/compare.h"
#include "judge/judge.h"
#include "run/flight_record.h"

namespace convict::examine {

/// What an implementation read for an element of a comb case instead of the right operand, in words:
/// "wei[3,0,1,1] instead of wei[3,0,1,2]". Empty if no single product gives the element's value. `tensors` holds the
/// filled inputs.
std::string comb_reading(const Scene& scene, const convict_tensors& tensors, const judge::JudgedElement& element);

/// The memory, the flight record and the options of a trial.
struct TrialContext {
  run::GuardedMemory& memory;
  run::FlightRecord& record;
  Yardstick yardstick;
  bool values = false;  // see ExaminationSettings
  AskedRelations relations = AskedRelations::kOne;
};

/// Places the operands of the scene and fills them.
void set_scene(const Scene& scene, const TrialContext& context);

/// Calls every implementation that has not refused, and fills in its result. Precondition: the scene is set. Returns
/// how many results were beyond the probabilistic bound on these data only.
int run_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results);

/// The trial of an illegal case, where only the outcome of a call matters, not its results.
void run_illegal_trial(const Scene& scene, const TrialContext& context, std::vector<judge::Result>& results);

}  // namespace convict::examine

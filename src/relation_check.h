// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "judge/judge.h"
#include "run/flight_record.h"
#include "scene.h"

namespace convict {

/// One metamorphic relation, which the seed of the case chooses, put to an implementation that has just computed the
/// case; nothing if it holds. Most cases ask none, for a relation costs several calls. Leaves other operands in
/// `memory`.
std::optional<BrokenRelation> broken_relation(const Scene& scene, const convict_implementation& who, int position,
                                              GuardedMemory& memory, FlightRecord& record);

}  // namespace convict

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "judge/judge.h"
#include "run/flight_record.h"
#include "scene.h"

namespace convict {

/// Whether relations are asked of the case at all: of one in eight, as its seed says, for a relation costs several
/// calls; `thorough`: of every one of which they say anything.
bool asks_relation(const Scene& scene, bool thorough);

/// One metamorphic relation, which the seed chooses among those that say anything about the case, put to an
/// implementation, or (thorough) all of them until one is broken; nothing if all hold. Precondition: the scene is set
/// in `memory`, where other operands are left.
std::optional<BrokenRelation> broken_relation(const Scene& scene, const convict_implementation& who, int position,
                                              GuardedMemory& memory, FlightRecord& record, bool thorough);

}  // namespace convict

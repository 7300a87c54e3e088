// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "judge/judge.h"
#include "run/flight_record.h"
#include "scene.h"

namespace convict {

/// Whether the seed of the case says that a relation is asked: one case in eight, for a relation costs several calls.
bool asks_relation(const Scene& scene);

/// One metamorphic relation, which the seed chooses among those that say anything about the case, put to an
/// implementation; nothing if it holds. Precondition: the scene is set in `memory`, where other operands are left.
std::optional<BrokenRelation> broken_relation(const Scene& scene, const convict_implementation& who, int position,
                                              GuardedMemory& memory, FlightRecord& record);

}  // namespace convict

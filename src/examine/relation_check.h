// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "examine/implementation_runner.h"
#include "examine/scene.h"
#include "judge/judge.h"

namespace convict::examine {

/// Whether relations are asked of the case at all: of one in eight, as its seed says, for a relation costs several
/// calls; `thorough`: of every one of which they say anything.
bool asks_relation(const Scene& scene, bool thorough);

/// One metamorphic relation, which the seed chooses among those that say anything about the case, put to the
/// implementation of `runner`, or (thorough) all of them until one is broken; nothing if all hold. `filled` are the
/// operands of the scene, which the runner overwrites with others.
std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, ImplementationRunner& runner,
                                                     const convict_tensors& filled, bool thorough);

}  // namespace convict::examine

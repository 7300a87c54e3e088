// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "examine/implementation_runner.h"
#include "examine/scene.h"
#include "judge/judge.h"

namespace convict::examine {

/// Whether to check relations on the case: on one case in eight, chosen by the seed, because a relation costs several
/// calls. `thorough`: on every case that they apply to.
bool asks_relation(const Scene& scene, bool thorough);

/// Checks one metamorphic relation on the implementation of `runner`; the seed chooses it among those that apply to the
/// case. `thorough` checks all of them until one is broken. Returns nothing if all hold. `filled` are the operands of
/// the scene, which the runner overwrites.
std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, ImplementationRunner& runner,
                                                     const convict_tensors& filled, bool thorough);

}  // namespace convict::examine

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "examine/asked_relations.h"
#include "examine/implementation_runner.h"
#include "examine/scene.h"
#include "judge/judge.h"

namespace convict::examine {

/// Whether any relation is checked on the case.
bool asks_relation(const Scene& scene, AskedRelations asked);

/// Checks relations on the implementation of `runner` until one is broken; the seed chooses the first of them. Returns
/// nothing if all hold. `call` is that of the scene (call_of()).
std::optional<judge::BrokenRelation> broken_relation(const Scene& scene, const relations::Call& call,
                                                     ImplementationRunner& runner, AskedRelations asked);

/// The calls that broken_relation() makes if all that it checks hold: those of each relation, the last ones of which it
/// does not make if one before is refused.
std::vector<std::vector<relations::Call>> calls_of_relations(const Scene& scene, const relations::Call& call,
                                                             const convict_contract& contract, AskedRelations asked);

}  // namespace convict::examine

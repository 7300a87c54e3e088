// SPDX-License-Identifier: Apache-2.0
//
// Which rule an implementation's results are held to on a case: by the data, and by the contract it declares.
#pragma once

#include "core/yardstick.h"
#include "examine/scene.h"
#include "judge/compare.h"

namespace convict::examine {

/// The case as it is judged by this yardstick: kIntegers has its own data, and one call.
Case case_for(Yardstick yardstick, Case c);

/// The rule without the bounds of an algorithm, which need the operands (add_transform_bounds).
judge::Rule rule_for(const Scene& scene, const convict_contract& contract, Yardstick yardstick);

/// What the reference has to compute for this rule. `most_terms` of a sum decide whether statistics are worth it.
judge::Detail detail_for(const judge::Rule& rule, const Scene& scene);

/// Bounds of all elements of the main output, for contracts of other algorithms than direct sums, where these apply to
/// the problem; else nothing. The name of the bound goes to `rule`.
void add_transform_bounds(judge::Rule& rule, const convict_contract& contract, const convict_problem& p,
                          const convict_tensors& tensors, const judge::DenseOperands<double>& dense);

}  // namespace convict::examine

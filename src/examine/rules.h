// SPDX-License-Identifier: Apache-2.0
//
// Chooses the rule for an implementation's results on a case, by the data and by the declared contract.
#pragma once

#include "core/yardstick.h"
#include "examine/scene.h"
#include "judge/compare.h"

namespace convict::examine {

/// The case as this yardstick judges it: kIntegers replaces the data, and makes one call.
Case case_for(Yardstick yardstick, Case c);

/// The rule without the bounds of transforms, which need the operands (add_transform_bounds).
judge::Rule rule_for(const Scene& scene, const convict_contract& contract, Yardstick yardstick);

/// What the reference has to compute for this rule. most_terms() decides whether statistics are worth the cost.
judge::Detail detail_for(const judge::Rule& rule, const Scene& scene);

/// Adds to `rule` the bounds of all elements of the main output, and their name, if the contract has another algorithm
/// than direct sums that applies to the problem. Else changes nothing.
void add_transform_bounds(judge::Rule& rule, const convict_contract& contract, const convict_problem& p,
                          const convict_tensors& tensors, const judge::DenseOperands<double>& dense);

}  // namespace convict::examine

// SPDX-License-Identifier: Apache-2.0
//
// Chooses the rule for an implementation's results on a case, by the data and by the declared contract.
#pragma once

#include "core/declarations.h"
#include "core/verdict.h"
#include "examine/scene.h"
#include "judge/reference.h"
#include "judge/rule.h"

namespace convict::examine {

/// The case as this yardstick judges it: kIntegers replaces the data, and makes one call.
Case case_for(Yardstick yardstick, Case c);

/// The bounds of sums with this contract on this unit, for operands of the types of `c`, which are no integers.
judge::Rule rule_of_bounds(const Case& c, const convict_contract& contract, const MatrixUnit& unit = {});

/// The rule without what needs the operands: the bounds of transforms, and what is lost with subnormal operands.
judge::Rule rule_for(const Scene& scene, const convict_contract& contract, const MatrixUnit& unit, Yardstick yardstick);

/// Whether the rule asks which products are exactly zero: these round nothing, which counts for much in 16 bits.
bool counts_nonzero(const judge::Rule& rule, const Scene& scene);

/// What the reference has to compute for this rule. most_terms() decides whether statistics are worth the cost.
judge::Detail detail_for(const judge::Rule& rule, const Scene& scene);

/// Adds to `rule` what needs the operands. If the contract has another algorithm than direct sums that applies to the
/// problem: the bounds of all elements of the main output, by what is declared of the transforms, and their name. If it
/// flushes or rounds subnormals: the largest terms that may become zero.
template <class W>
void add_operands(judge::Rule& rule, const convict_contract& contract, const Transforms& transforms,
                  const convict_problem& p, const convict_tensors& tensors, const judge::DenseOperands<W>& dense);

}  // namespace convict::examine

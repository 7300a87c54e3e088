// SPDX-License-Identifier: Apache-2.0
//
// Where shrinking may go from a case: simpler cases, the boldest step first.
#pragma once

#include <vector>

#include "core/case.h"

namespace convict::shrink {

/// One pass proposes cases that differ from `c` in one respect. It need not look at whether they are legal.
using ShrinkPass = std::vector<Case> (*)(const Case& c);

/// In the order in which they are tried: whole fields before numbers, the problem before its data.
std::vector<ShrinkPass> shrink_passes();

/// Pairs of numbers of one axis that have to move together, tried once nothing else helps.
std::vector<Case> joint_steps(const Case& c);

/// How far the numbers of a case are from their defaults, all together; a word counts 1, the data not at all.
int64_t distance_from_plain(const Case& c);

/// Cases one and two steps from the plain one, as far as `c` is farther away: what walking down from `c` cannot reach,
/// because it would have to trade an extent for padding, say.
std::vector<Case> near_plain(const Case& c);

/// The same sizes with each axis in another place, as far as that is simpler: what is not at its default belongs last.
std::vector<Case> axis_orders(const Case& c);

/// Data with a single product, for a case that is small.
std::vector<Case> one_hot_seeds(const Case& c);

}  // namespace convict::shrink

// SPDX-License-Identifier: Apache-2.0
//
// The shrinking steps: each proposes simpler cases, the largest step first.
#pragma once

#include <vector>

#include "core/case.h"

namespace convict::shrink {

/// One pass proposes cases that differ from `c` in one respect. They may be illegal.
using ShrinkPass = std::vector<Case> (*)(const Case& c);

/// The passes in the order in which they are tried: whole fields before numbers, the problem before its data.
std::vector<ShrinkPass> shrink_passes();

/// Changes two numbers of one axis together; tried when no single change helps.
std::vector<Case> joint_steps(const Case& c);

/// The sum of the distances of all numbers from their defaults. A named value counts 1, the data does not count.
int64_t distance_from_plain(const Case& c);

/// Cases one or two steps from the plain one, if `c` is farther away. Single steps from `c` may not reach them, for
/// example because an extent has to be traded for padding. Those come first that change only what `c` changes, too.
std::vector<Case> near_plain(const Case& c);

/// The same sizes with the axes in another order, if that is simpler: axes with values other than the defaults go last.
std::vector<Case> axis_orders(const Case& c);

/// Data with a single product, for a small case.
std::vector<Case> one_hot_seeds(const Case& c);

/// `to`, a step from `c`; if both have a single product, then with the product where it was: as far from the begin of
/// each axis, or from its end. Its seed counts elements, of which `to` has fewer.
std::vector<Case> with_product_of(const Case& c, const Case& to);

/// One number one nearer to its default, or one word: with each of 64 seeds, because what a smaller case needs is
/// other data. Tried when nothing else helps.
std::vector<Case> reseeded_steps(const Case& c);

}  // namespace convict::shrink

// SPDX-License-Identifier: Apache-2.0
//
// Finds the smallest case that still fails in the same way. Passes over the fields, then over the data, repeat until
// none of them makes the case smaller. Deterministic; operation, pass and rank stay.
#pragma once

#include <functional>
#include <vector>

#include "core/case.h"

namespace convict::shrink {

/// One pass proposes simpler cases that differ from `c` in one respect, the largest step first. They may be illegal.
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

/// Whether a case still shows the mismatch. Called for legal cases only.
using StillFails = std::function<bool(const Case&)>;

/// Whether to go on, because of a budget or an interrupt. Called before every run.
using GoOn = std::function<bool()>;

/// Precondition: still_fails(c). Returns the smallest case so far once go_on() is false.
Case shrink(const Case& c, const StillFails& still_fails, const GoOn& go_on);

}  // namespace convict::shrink

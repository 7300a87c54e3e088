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

/// The sum of the distances of all numbers from their defaults. A named value counts 1, the data does not count.
int64_t distance_from_plain(const Case& c);

/// Whether a case still shows the mismatch. Called for legal cases only.
using StillFails = std::function<bool(const Case&)>;

/// Whether to go on, because of a budget or an interrupt. Called before every run.
using GoOn = std::function<bool()>;

/// Precondition: still_fails(c). Returns the smallest case so far once go_on() is false.
Case shrink(const Case& c, const StillFails& still_fails, const GoOn& go_on);

}  // namespace convict::shrink

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case.h"

namespace convict::generate {

/// How large a repaired case may be. A guided engine learns more from many small executions than from few large ones.
struct RepairBudget {
  double macs = 4'000;      // multiply-adds, padding included
  double elements = 2'048;  // of each of src, dst and wei
};                          // of the problem, and of each earlier one

/// Makes any case legal and affordable with few changes; leaves a case that is both unchanged. Enlarges a number that
/// is too small for another one (an input for its window), then halves numbers, the largest first, until the cost fits.
/// Drops earlier problems that are illegal or too expensive.
/// Precondition: numbers are at most 2^32 in magnitude, words are words.
void repair(Case& c, const RepairBudget& budget = {});

}  // namespace convict::generate

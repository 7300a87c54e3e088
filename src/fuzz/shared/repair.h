// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/case.h"

namespace convict::fuzz {

/// What a guided case may cost: many small executions teach an engine more than few large ones.
struct FuzzBudget {
  double macs = 4'000;      // multiply-adds, padding included
  double elements = 2'048;  // of src, of dst and of wei each
};

/// Makes any case legal and affordable, changing as little as that takes; one that is both already stays as it is.
/// What is too small for another number grows (an input for its window), and what then costs too much is halved, the
/// largest number first. Precondition: numbers are at most 2^32 in magnitude, words are words.
void repair(Case& c, const FuzzBudget& budget = {});

}  // namespace convict::fuzz

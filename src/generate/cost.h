// SPDX-License-Identifier: Apache-2.0
//
// What a case costs beside a fast kernel, and budgets that are the rarer the more they cost.
#pragma once

#include "core/case.h"
#include "core/random.h"

namespace convict::generate {

/// So many multiply-adds, or elements of operands and results, take as long as all else that is done for a case:
/// drawing it, asking, the protection of memory, counting. Measured; docs/background/generator.md.
inline constexpr double kFreeMacs = 3000, kFreeElements = 1400;

/// How many times as long a legal case takes as one without elements.
double relative_cost(const Case& c, const convict_problem& p);

/// Whether a campaign can ask about it: it is legal, and no larger than layers of networks. What has no channels counts as
/// having one, because its windows are counted, too.
bool can_be_asked(const Case& c);

/// A number of [least, most], at a cost of 1 + number / free. Each factor of the number has the same share of the time:
/// then a fault that needs a size is found within a constant of the best time, whatever its threshold is.
double draw_budget(Random& random, double least, double most, double free);

}  // namespace convict::generate

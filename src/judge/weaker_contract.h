// SPDX-License-Identifier: Apache-2.0
//
// What wrong results look like, for people and for the choice of the verdict.
#pragma once

#include <span>
#include <string>

#include "judge/compare.h"

namespace convict::judge {

/// The weaker numeric contract that explains everything an implementation got wrong, in words ("sums or operands kept
/// in f16", "subnormals flushed to zero"); empty if there is none. A lost or misplaced product is not explained.
template <class W>
std::string weaker_contract(std::span<const Expected<W>> expected, const Rule& rule);

}  // namespace convict::judge

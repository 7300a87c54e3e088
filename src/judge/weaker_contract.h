// SPDX-License-Identifier: Apache-2.0
//
// Explains wrong results by a weaker numeric contract, for certificates and for the choice of the verdict.
#pragma once

#include <span>
#include <string>

#include "judge/compare.h"

namespace convict::judge {

/// The weaker numeric contract that explains all wrong results of an implementation, in words ("sums or operands kept
/// in f16", "subnormals flushed to zero"); empty if there is none. No contract explains a lost or misplaced product.
template <class W>
std::string weaker_contract(std::span<const Expected<W>> expected, const Rule& rule);

}  // namespace convict::judge

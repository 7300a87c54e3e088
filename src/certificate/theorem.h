// SPDX-License-Identifier: Apache-2.0
//
// Which theorems a declared contract gives for one element, by code of the checker's own: naming a stronger one would
// accuse an honest value.
#pragma once

#include <string>

#include "core/certificate.h"
#include "certificate/least_bound.h"

namespace convict::certificate {

/// Why this contract does not give this bound for an element of the case; nothing if it does. The bits of operands in
/// the contract are fewer than some operand of the case has, or 0.
std::string why_not_given(Bound bound, const DeclaredContract& contract, const Case& c,
                          const judge::ExactElement& exact);

/// The accumulator that results for a sum of these types: it holds them all, and the one declared.
convict_dtype accumulator_of(const DeclaredContract& contract, const SumTypes& types);

}  // namespace convict::certificate

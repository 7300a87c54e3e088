// SPDX-License-Identifier: Apache-2.0
//
// Around two failing cases of one fault, two conditions are learnt that each say too little: "k[0] >= 8" and
// "k[last] >= 8". Learnt from both, they are one. If one condition explains the failures around both, there is one
// fault, as far as one can tell (Occam's razor).
#pragma once

#include <optional>
#include <vector>

#include "explain/learn.h"
#include "explain/samples.h"

namespace convict::explain {

/// Learns from samples around one failing case and around another one; nothing if these seem to be two faults.
/// Precondition: the first samples of both fail.
std::optional<LearntPredicate> learn_together(const std::vector<Sample>& one, const std::vector<Sample>& other);

}  // namespace convict::explain

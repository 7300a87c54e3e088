// SPDX-License-Identifier: Apache-2.0
//
// Learns a short conjunction of conditions that failing samples meet and passing ones do not, with few exceptions. The
// method is greedy set cover over the conditions that hold for the failing case; the passing samples are to be covered
// (Haussler, "Quantifying inductive bias", Artificial Intelligence 36, 1988, section 3).
#pragma once

#include <optional>
#include <vector>

#include "core/predicate.h"
#include "explain/samples.h"

namespace convict::explain {

struct LearntPredicate {
  Predicate predicate;
  std::vector<Sample> unexplained;  // passing samples that meet the predicate, failing ones that do not
};

/// Precondition: samples.front() fails.
LearntPredicate learn_predicate(const std::vector<Sample>& samples);

/// Around two failing cases of one fault, two conditions are learnt that each say too little: "k[0] >= 8" and
/// "k[last] >= 8". Learnt from both, they are one. If one condition explains the failures around both, there is one
/// fault, as far as one can tell (Occam's razor).
/// Learns from samples around one failing case and around another one; nothing if these seem to be two faults.
/// Precondition: the first samples of both fail.
std::optional<LearntPredicate> learn_together(const std::vector<Sample>& one, const std::vector<Sample>& other);

}  // namespace convict::explain

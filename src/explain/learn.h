// SPDX-License-Identifier: Apache-2.0
//
// Learns a short conjunction of conditions that failing samples meet and passing ones do not, with few exceptions. The
// method is greedy set cover over the conditions that hold for the failing case; the passing samples are to be covered
// (Haussler, "Quantifying inductive bias", Artificial Intelligence 36, 1988, section 3).
#pragma once

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

}  // namespace convict::explain

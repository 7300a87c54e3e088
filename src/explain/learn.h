// SPDX-License-Identifier: Apache-2.0
//
// From samples to the shortest conjunction of conditions that the failing ones meet and the others do not, with as few
// exceptions as may be: greedy set cover over the conditions that hold for the failing case (the classic learner of
// conjunctions, with the passing samples to be covered: Haussler, "Quantifying inductive bias", Artificial Intelligence
// 36, 1988, section 3).
#pragma once

#include <vector>

#include "core/predicate.h"
#include "explain/samples.h"

namespace convict::explain {

struct Learnt {
  Predicate predicate;
  std::vector<Sample> unexplained;  // they pass, though it holds; or fail, though it does not
};

/// Precondition: samples.front() fails.
Learnt learn_predicate(const std::vector<Sample>& samples);

}  // namespace convict::explain

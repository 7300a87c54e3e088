// SPDX-License-Identifier: Apache-2.0
//
// What was learnt around one case may be too wide or too narrow far from it. So it is tried on sampled cases, and
// learnt again from those and the ones around the failing case: active learning by disagreement (Settles, "Active
// Learning Literature Survey", 2009, section 3.2, with a single hypothesis).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/case.h"
#include "explain/learn.h"
#include "explain/samples.h"

namespace convict::explain {

/// Sampled case number i; it need not be of the operation, nor cheap.
using Draw = std::function<Case(uint64_t)>;

struct RefinementLimits {
  int rounds = 3;
  size_t cases = 100;       // of a round, on which the predicate says "fails", and as many on which it says "passes"
  uint64_t drawn = 10'000;  // of a round, in search of them
  size_t refused = 200;     // of a round, after which it ends
  double largest_cost = 0;  // multiply-adds of a case
  std::function<bool(const Case&)> is_within = [](const Case&) { return true; };  // others are left out
};

/// `samples` get the cases that were tried. Precondition: samples.front() fails, and `learnt` is learnt from them.
LearntPredicate refine(LearntPredicate learnt, std::vector<Sample>& samples, const Draw& draw, const Fails& fails,
                       const std::function<bool()>& go_on, const RefinementLimits& limits);

}  // namespace convict::explain

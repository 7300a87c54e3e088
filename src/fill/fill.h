// SPDX-License-Identifier: Apache-2.0
//
// Case -> data. Every value is a pure function of (seed, tensor role, logical coordinates): independent of layout,
// threads and neighbouring extents, so that shrinking one extent does not reshuffle the rest.
#pragma once

#include "core/case.h"

namespace convict {

/// Magnitude of the integers of Fill::kInt for this problem, chosen so that every partial sum of products is exact in
/// the type of the outputs, in any order; 0 if no range does that (then the data is judged by the error bound).
int64_t exact_range(const Case& c, const convict_problem& p);

/// Writes all inputs of the pass; outputs are not touched. Precondition: data pointers of the inputs are writable.
void fill_inputs(const Case& c, const convict_problem& p, const convict_tensors& tensors);

}  // namespace convict

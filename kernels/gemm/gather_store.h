// SPDX-License-Identifier: Apache-2.0
//
// Takes sums of a gathered product to the result.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/gemm/gather_plan.h"

namespace convict::kernels::gemm {

/// Sums of a part, of some rows and columns: row i and column j at c[i*c_pitch + j], both counted from the first.
template <class T>
struct PartSums {
  const GatherPart<T>* part;
  work::Panel rows, columns;
  int64_t straight;  // so many of the columns are in the result already
  const T* c;
};

/// Stores the sums of a group of image n. The parts are one, or those that are stored together.
template <class T>
void store(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts);

}  // namespace convict::kernels::gemm

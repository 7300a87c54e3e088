// SPDX-License-Identifier: Apache-2.0
//
// Computes faces Y and X as gather_plan.h decided: packs weights, stages images, multiplies tile by tile, stores.
#pragma once

#include "kernels/gemm/gather_plan.h"

namespace convict::kernels::gemm {

/// Computes the face of plan.form completely, bias and beta included. Throws std::bad_alloc.
template <class T>
void gather_product(GatherPlan<T>& plan);

}  // namespace convict::kernels::gemm

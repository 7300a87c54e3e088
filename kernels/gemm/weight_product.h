// SPDX-License-Identifier: Apache-2.0
//
// Computes face W as weight_plan.h decided.
#pragma once

#include "kernels/gemm/weight_plan.h"

namespace convict::kernels::gemm {

/// Computes the face of plan.form completely, beta included, but not diff_bias. Throws std::bad_alloc.
template <class T>
void weight_product(WeightPlan<T>& plan);

}  // namespace convict::kernels::gemm

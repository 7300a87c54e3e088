// SPDX-License-Identifier: Apache-2.0
//
// Computes all faces plane by plane as row_plan.h decided.
#pragma once

#include "kernels/depthwise/row_plan.h"

namespace convict::kernels::depthwise {

/// Computes the face of plan.form completely, beta and bias included, but not diff_bias. Throws std::bad_alloc.
template <class T>
void row_product(RowPlan<T>& plan);

}  // namespace convict::kernels::depthwise

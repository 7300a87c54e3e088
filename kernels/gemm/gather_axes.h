// SPDX-License-Identifier: Apache-2.0
//
// Which parts a gathered product (gather_plan.h) has on each axis.
#pragma once

#include "abi/trilinear.h"
#include "kernels/image/correlation.h"

namespace convict::kernels::gemm {

/// The axes of the form. If much of the last one's products are with padding, it has parts that leave them out; on the
/// other axes tiles do (taps_first).
template <class T>
image::Correlation gather_axes(const Trilinear<T>& form);

}  // namespace convict::kernels::gemm

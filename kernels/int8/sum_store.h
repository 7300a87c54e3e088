// SPDX-License-Identifier: Apache-2.0
//
// Sums of a product of cells as elements of dst, through the epilogue of border/quantized.h.
#pragma once

#include "abi/trilinear.h"
#include "kernels/border/quantized.h"
#include "kernels/gemm/gather_plan.h"

namespace convict::kernels::int8 {

/// `result`: the strides of dst. `channels`: of one group.
void store(const border::QuantizedForm& form, const Operand<int32_t>& result, int64_t channels,
           const gemm::CellSums& sums);

}  // namespace convict::kernels::int8

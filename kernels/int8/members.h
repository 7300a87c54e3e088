// SPDX-License-Identifier: Apache-2.0
//
// How bytes of the operands become members of cells (simd/cells.h).
#pragma once

#include <cstdint>

#include "kernels/border/quantized.h"
#include "kernels/simd/cells.h"
#include "kernels/work/panel.h"

namespace convict::kernels::int8 {

/// Of one problem. `zero`: the zero point in the cells of the image, for which sums start at less.
struct Members {
  simd::MemberOf image, weight;
  int32_t zero;

  /// The cell of padding.
  int32_t padding() const { return static_cast<int32_t>(static_cast<uint32_t>(zero) * 0x01010101u); }
  /// What the members of weights with this sum add too much, negative. Overflow wraps around.
  int32_t start(int32_t sum) const {
    return static_cast<int32_t>(0 - static_cast<uint32_t>(zero) * static_cast<uint32_t>(sum));
  }
};

inline Members members_of(const border::QuantizedForm& q, const simd::CellKernels& kernels) {
  const uint8_t flip = q.tensors.src.dtype == CONVICT_S8 ? 0x80 : 0;
  const int32_t less = flip + q.problem.src_zero_point;
  const bool wide = kernels.members == 2;
  return {{flip, less}, {static_cast<uint8_t>(wide ? 0x80 : 0), 0x80}, wide ? 0 : less};
}

inline int64_t cells_of(int64_t members, int64_t of_cell) { return work::panels_of(members, of_cell); }

}  // namespace convict::kernels::int8

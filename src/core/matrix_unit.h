// SPDX-License-Identifier: Apache-2.0
//
// What an implementation declares of a matrix unit that it computes on (convict_matrix_unit).
#pragma once

#include "core/transforms.h"

namespace convict::inline core {

/// Bits of significands to which operands may be rounded: from those of bf16 to those of f64.
inline constexpr int kFewestOperandBits = 8, kMostOperandBits = 53;

struct MatrixUnit {
  int operand_bits = 0;    // to which operands of products are rounded or truncated; 0: they are not
  bool truncates = false;  // additions truncate, several terms at once

  bool operator==(const MatrixUnit&) const = default;
};

/// What an implementation declares beside its contract.
struct Declarations {
  Transforms transforms = {};
  MatrixUnit matrix_unit = {};
};

}  // namespace convict::inline core

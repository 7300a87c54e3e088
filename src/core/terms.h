// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "abi/trilinear.h"

namespace convict::inline core {

/// The most products that any output of the pass sums up, counting taps that fall into padding.
inline int64_t most_terms(const convict_problem& p) {
  const bool is_conv = p.op == CONVICT_CONV;
  int64_t taps = 1, positions = p.batch;
  for (int axis = 0; axis < p.rank; ++axis) {
    taps *= p.kernel[axis];
    positions *= is_conv ? p.out[axis] : p.in[axis];
  }
  switch (face_of(p.op, p.pass)) {
    case Face::kY: return (is_conv ? p.ic : p.oc) / p.groups * taps;
    case Face::kX: return (is_conv ? p.oc : p.ic) / p.groups * taps;
    case Face::kW: return positions;
  }
  return 0;
}

/// The number of elements of the output gradient that each element of diff_bias sums up; 0 without diff_bias.
inline int64_t diff_bias_terms(const convict_problem& p) {
  if (p.pass != CONVICT_BACKWARD_WEIGHTS || !p.has_bias) return 0;
  int64_t positions = p.batch;
  for (int axis = 0; axis < p.rank; ++axis) positions *= p.out[axis];
  return positions;
}

}  // namespace convict::inline core

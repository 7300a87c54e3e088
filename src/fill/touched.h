// SPDX-License-Identifier: Apache-2.0
//
// The part of a huge image that a problem reads. The rest stays untouched pages of zeros.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "abi/convict.h"

namespace convict::fill {

/// For each dimension, the coordinates that are read.
using Touched = std::vector<std::vector<int64_t>>;

/// The part of X (abi/trilinear.h) that some tap of some output reads, in all images and channels.
inline Touched touched_by(const convict_problem& p, const convict_tensor& x) {
  const bool is_conv = p.op == CONVICT_CONV;
  const int64_t *outputs = is_conv ? p.out : p.in, *extent = is_conv ? p.in : p.out;
  Touched touched(static_cast<size_t>(x.ndim));
  for (const size_t dim : {0, 1})
    for (int64_t i = 0; i < x.dims[dim]; ++i) touched[dim].push_back(i);
  for (int axis = 0; axis < p.rank; ++axis) {
    std::set<int64_t> positions;
    for (int64_t o = 0; o < outputs[axis]; ++o)
      for (int64_t r = 0; r < p.kernel[axis]; ++r)
        positions.insert(o * p.stride[axis] - p.pad_begin[axis] + r * p.dilation[axis]);
    for (const int64_t i : positions)
      if (i >= 0 && i < extent[axis]) touched[static_cast<size_t>(2 + axis)].push_back(i);
  }
  return touched;
}

}  // namespace convict::fill

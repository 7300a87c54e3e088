// SPDX-License-Identifier: Apache-2.0
//
// Turns a case into the resolved problem of the ABI: makes automatic padding explicit, computes output extents.
#pragma once

#include <cstdint>

#include "abi/trilinear.h"
#include "abi/validity.h"
#include "core/case.h"

namespace convict::inline core {

/// Padding of one axis. `output_padding` is 0 for conv.
struct Padding {
  int64_t begin, end, output_padding;
  bool operator==(const Padding&) const = default;
};

/// SAME of TensorFlow and ONNX for conv: O = ceil(in / stride). The odd element goes to the end
/// (upper) or to the begin (lower).
Padding same_padding(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool upper);

/// SAME for conv_transpose: the VALID result, cropped to the extent in * stride, whatever the kernel.
Padding same_transpose_padding(int64_t kernel, int64_t stride, int64_t dilation, bool upper);

/// The problem of `c`, legal or not; `why_not` says what is wrong with it. Output extents of an illegal problem are at
/// least 0. Sizes that no memory holds are illegal.
struct Resolved {
  convict_problem problem;
  Invalid why_not;
};
Resolved resolve(const Case& c);

/// Like resolve(), but throws UsageError for an illegal problem.
convict_problem resolve_valid(const Case& c);

/// A case with this problem; its padding is explicit. Of types, layouts, views and data a problem says nothing.
Case as_case(const convict_problem& p);

/// The cost of a problem for a plain kernel: its multiply-adds, counting those that fall into padding.
double multiply_adds(const convict_problem& p);

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

// SPDX-License-Identifier: Apache-2.0
//
// Turns a case into the resolved problem of the ABI: makes automatic padding explicit, computes output extents.
#pragma once

#include <cstdint>

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

}  // namespace convict::inline core

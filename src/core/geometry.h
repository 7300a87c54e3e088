// SPDX-License-Identifier: Apache-2.0
//
// From a case to the resolved problem of the ABI: automatic padding made explicit, output extents computed.
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

/// TensorFlow's and ONNX' SAME for conv: O = ceil(in / stride); the odd element goes to the end (upper) or begin
/// (lower).
Padding same_padding(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool upper);

/// SAME for conv_transpose: the output extent is in * stride, whatever the kernel; it is the VALID result, cropped.
Padding same_transpose_padding(int64_t kernel, int64_t stride, int64_t dilation, bool upper);

/// The problem of `c` as its fields say, legal or not; `why_not` says what is wrong with it. Output extents of an
/// illegal problem are at least 0. Sizes that no memory holds are illegal.
struct Resolved {
  convict_problem problem;
  Invalid why_not;
};
Resolved resolve(const Case& c);

/// resolve(), throwing UsageError for an illegal problem.
convict_problem resolve_valid(const Case& c);

/// Multiply-adds of a problem, counting those that fall into padding: its cost for a plain kernel.
double multiply_adds(const convict_problem& p);

}  // namespace convict::inline core

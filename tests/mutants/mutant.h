// SPDX-License-Identifier: Apache-2.0
//
// A mutant: a correct convolution with one planted fault, on the operations and passes where the fault acts.
#pragma once

#include <span>

#include "abi/trilinear.h"

namespace convict::mutants {

/// P: modelled on public bugs of many libraries (public_faults.h). B and D: faults planted in oneDNN to measure its own
/// tester, for convolution and its transpose (benchdnn_faults.h). Q: of integers (quantized_faults.h). R: shown by few
/// cases (rare_faults.h). The header named here is where a fault acts.
// clang-format off
enum class Fault {
  kNone,
  // geometry.h, on the problem as a whole.
  kP03, kP06, kP10, kP11, kP14, kP15, kP16, kP22, kP24, kP25,
  kB04, kB05, kB06, kB09, kB13, kB14, kB23, kB24, kD02, kD04, kD05, kD06,
  // positions.h, on what one axis reads.
  kP01, kP02, kP05, kP09, kP12, kP13, kP21, kP33, kP34,
  kB07, kB08, kB12, kB15, kB16, kB17, kB25, kB26, kD03, kD07, kD08, kD10, kD12,
  kR03, kR04, kR05,
  // channels.h, on batch, groups, channels and the bias.
  kP04, kP07, kP08, kP18, kP19, kP23, kP26, kP29,
  kB01, kB02, kB03, kB10, kB11, kB29, kD01, kD09, kD11,
  // memory.h, on what is written and when.
  kP17, kP20, kP27, kP28, kP30, kP32,
  // numerics.h, on values.
  kP31, kB18, kB19, kB20, kB21, kB22, kB27, kB28, kR01, kR02,
  // quantized.h, on integers.
  kQ01, kQ02, kQ03, kQ04, kQ05, kQ06, kQ07, kQ08, kQ09, kQ10, kQ11, kR06, kR07,
};
// clang-format on

using Scope = unsigned;

constexpr Scope scope_of(convict_op op, convict_pass pass) { return 1u << ((op - 1) * 3 + (pass - 1)); }

inline constexpr Scope kConv = scope_of(CONVICT_CONV, CONVICT_FORWARD);
inline constexpr Scope kConvData = scope_of(CONVICT_CONV, CONVICT_BACKWARD_DATA);
inline constexpr Scope kConvWeights = scope_of(CONVICT_CONV, CONVICT_BACKWARD_WEIGHTS);
inline constexpr Scope kTransposed = scope_of(CONVICT_CONV_TRANSPOSE, CONVICT_FORWARD);
inline constexpr Scope kEverywhere = 0x3f;

struct Mutant {
  const char* name;
  Fault fault;
  Scope scope;
  const char* description;
  const char* witness;    // a case inside the trigger, on which the fault must show
  const char* near_miss;  // and one just outside, on which it must not
};

/// The faults of the module that this is linked into (table.cpp).
std::span<const Mutant> table_of_module();

/// One call of a mutant. The fault is kNone where it is out of scope.
template <class T>
struct Call {
  Fault fault;
  const convict_problem& problem;
  const convict_tensors& tensors;
  Trilinear<T> form;
};

// The axes of the trilinear form by name; a problem of rank 2 has the last two, of rank 1 the last one.
inline constexpr int kDepth = 0, kHeight = 1, kWidth = 2;

/// The first axis that the problem has.
inline int first_axis(const convict_problem& p) { return kAxes - p.rank; }

inline bool is_depthwise(const auto& form) { return form.groups > 1 && form.x_channels == 1; }

inline bool any_axis(const convict_problem& p, const auto& condition) {
  for (int i = 0; i < p.rank; ++i)
    if (condition(i)) return true;
  return false;
}

}  // namespace convict::mutants

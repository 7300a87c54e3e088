// SPDX-License-Identifier: Apache-2.0
//
// From exact sums of integers to what may be in dst: scales, bias, old contents, ReLU, zero point, rounding and
// saturation. Semantics: abi/convict.h; derivations: docs/bounds.md, "Integers".
#pragma once

#include "judge/expected.h"

namespace convict::judge {

/// Turns the exact sums and magnitudes of products in `expected` into those of results, and sets `roundings`.
/// Precondition: the operands of `t` are integers, and dst holds its old contents where there is beta.
template <class W>
void finish_quantized(Expected<W>& expected, const convict_problem& p, const convict_tensors& t);

/// The result for a real number in the type of dst: rounded, shifted by the zero point and saturated if that has 8
/// bits; as it is in others.
double quantized_result(convict_dtype type, double real, double zero_point);

/// All results from `lowest` to `highest` are right.
struct AllowedResults {
  double lowest, highest;
  bool contain(double got) const { return lowest <= got && got <= highest; }
};

/// Those of an implementation whose real number, before ReLU, errs by at most `rounding`, which is finite.
AllowedResults allowed_results(convict_dtype type, double real, double rounding, bool relu, double zero_point);

}  // namespace convict::judge

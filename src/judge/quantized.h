// SPDX-License-Identifier: Apache-2.0
//
// Turns exact sums of integers into the allowed contents of dst: scales, bias, old contents, ReLU, zero point, rounding
// and saturation; and the arithmetic that does so with multipliers and shifts. Semantics: abi/convict.h; derivations:
// docs/background/bounds.md, "Integers" and "Requantization".
#pragma once

#include <cstdint>
#include <optional>

#include "abi/convict.h"
#include "judge/expected.h"

namespace convict::judge {

/// How one channel is requantized.
struct Requantizer {
  convict_requantization kind;
  bool is_wide;        // sums of s16, in 64 bits
  int64_t multiplier;  // 0 to 2^31 - 1
  int shift;           // -31 to 30; of wide sums to 7

  /// What a sum becomes before the zero point is added. Nothing where the specifications leave it open: where a number
  /// on the way does not fit what they keep it in.
  std::optional<int64_t> operator()(int64_t sum) const;
};

/// Turns the exact sums and magnitudes of products in `expected` into those of results, and sets `roundings`.
/// Precondition: the operands of `t` are integers, and with beta dst holds its old contents.
template <class W>
void finish_quantized(Expected<W>& expected, const convict_problem& p, const convict_tensors& t);

/// The same for requantized sums; it sets their right results. Precondition: the problem has requantization.
template <class W>
void finish_requantized(Expected<W>& expected, const convict_problem& p, const convict_tensors& t);

/// The result in the type of dst for the number `real`: for 8 and 16 bits rounded, shifted by the zero point and
/// saturated; unchanged for other types.
double quantized_result(convict_dtype type, double real, double zero_point);

/// The correct results: all from `lowest` to `highest`.
struct AllowedResults {
  double lowest, highest;
  bool contain(double got) const { return lowest <= got && got <= highest; }
};

/// The results that are allowed if the number before ReLU errs by at most `rounding`. Precondition: that is finite.
AllowedResults allowed_results(convict_dtype type, double real, double rounding, bool relu, double zero_point);

}  // namespace convict::judge

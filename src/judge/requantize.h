// SPDX-License-Identifier: Apache-2.0
//
// The integer arithmetic that turns sums into elements of dst with multipliers and shifts. Semantics: abi/convict.h;
// sources: docs/background/bounds.md, "Requantization".
#pragma once

#include <cstdint>
#include <optional>

#include "abi/convict.h"

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

}  // namespace convict::judge

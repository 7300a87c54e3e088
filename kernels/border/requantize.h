// SPDX-License-Identifier: Apache-2.0
//
// Sums of integers into elements of dst by multipliers and shifts (abi/convict.h, convict_requantization).
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/convict.h"

namespace convict::kernels::border {

/// Without a kind: no requantization.
struct Requantization {
  convict_requantization kind = CONVICT_NO_REQUANTIZATION;
  const int32_t *multipliers = nullptr, *shifts = nullptr;
  int64_t multiplier_stride = 0, shift_stride = 0;  // 0: one for all channels
  int32_t low = 0, high = 0;                        // of dst
  bool is_wide = false;                             // of s16

  /// The element of dst for a sum with its bias.
  int32_t element(int64_t sum, int64_t channel, int32_t zero_point) const {
    const int64_t multiplier = multipliers[channel * multiplier_stride];
    const int shift = shifts[channel * shift_stride];
    return static_cast<int32_t>(std::clamp<int64_t>(scaled(sum, multiplier, shift) + zero_point, low, high));
  }

 private:
  int64_t scaled(int64_t sum, int64_t multiplier, int shift) const {
    if (is_wide) {
      const int64_t upper = std::min<int64_t>((multiplier + (1 << 15)) >> 16, INT16_MAX);
      return upward(product(sum, upper), 15 - shift);
    }
    switch (kind) {
      case CONVICT_DOUBLE_ROUNDING: {
        const int64_t left = std::max(shift, 0), high_half = upward(product(sum << left, multiplier), 31);
        // One less for negative numbers, so that halves go down there.
        return shift < 0 ? (high_half + (int64_t{1} << (-shift - 1)) - (high_half < 0 ? 1 : 0)) >> -shift : high_half;
      }
      case CONVICT_ROUNDING_TO_EVEN: {
        const int64_t exact = product(sum, multiplier), nearest = upward(exact, 31 - shift);
        const bool is_half = (exact & ((int64_t{2} << (30 - shift)) - 1)) == int64_t{1} << (30 - shift);
        return is_half ? nearest & ~int64_t{1} : nearest;
      }
      default: return upward(product(sum, multiplier), 31 - shift);
    }
  }

  /// Wraps around where the specifications leave a result open.
  static int64_t product(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }

  /// number / 2^bits to the nearest integer, halves upward. bits is at least 1.
  static int64_t upward(int64_t number, int bits) { return (number + (int64_t{1} << (bits - 1))) >> bits; }
};

}  // namespace convict::kernels::border

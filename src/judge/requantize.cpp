// SPDX-License-Identifier: Apache-2.0
#include "judge/requantize.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace convict::judge {
namespace {

constexpr int64_t half_of(int bits) { return bits == 0 ? 0 : int64_t{1} << (bits - 1); }

/// number / 2^bits, rounded to nearest.
constexpr int64_t halves_upward(int64_t number, int bits) { return (number + half_of(bits)) >> bits; }

constexpr int64_t halves_away_from_zero(int64_t number, int bits) {
  return number < 0 ? -((-number + half_of(bits)) >> bits) : (number + half_of(bits)) >> bits;
}

constexpr int64_t halves_to_even(int64_t number, int bits) {
  const int64_t below = number >> bits, rest = number - (below << bits);
  const bool up = rest > half_of(bits) || (bits > 0 && rest == half_of(bits) && below % 2 != 0);
  return below + (up ? 1 : 0);
}
static_assert(halves_upward(-3, 1) == -1 && halves_away_from_zero(-3, 1) == -2 && halves_to_even(-3, 1) == -2);
static_assert(halves_upward(5, 1) == 3 && halves_away_from_zero(5, 1) == 3 && halves_to_even(5, 1) == 2);

/// Wide sums keep the upper 16 bits of the multiplier.
constexpr int64_t upper_bits(int64_t multiplier) {
  return std::min<int64_t>(halves_upward(multiplier, 16), std::numeric_limits<int16_t>::max());
}

/// Kernels in 32 bits have room for one more bit than the result, and wide ones for products of 48 bits.
constexpr int64_t kLargestResult = int64_t{1} << 30, kLargestWideSum = int64_t{1} << 47;

}  // namespace

std::optional<int64_t> Requantizer::operator()(int64_t sum) const {
  constexpr int64_t kLargestSum = std::numeric_limits<int32_t>::max();
  if (std::abs(sum) > (is_wide ? kLargestWideSum : kLargestSum)) return std::nullopt;
  int64_t result = 0;
  if (is_wide) {
    result = halves_upward(sum * upper_bits(multiplier), 15 - shift);
  } else if (kind == CONVICT_DOUBLE_ROUNDING) {
    const int64_t shifted = sum * (int64_t{1} << std::max(shift, 0));
    if (std::abs(shifted) > kLargestSum) return std::nullopt;
    result = halves_away_from_zero(halves_upward(shifted * multiplier, 31), std::max(-shift, 0));
  } else {
    const int64_t product = sum * multiplier;
    result =
        kind == CONVICT_ROUNDING_TO_EVEN ? halves_to_even(product, 31 - shift) : halves_upward(product, 31 - shift);
  }
  if (std::abs(result) >= kLargestResult) return std::nullopt;
  return result;
}

}  // namespace convict::judge

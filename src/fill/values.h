// SPDX-License-Identifier: Apache-2.0
//
// Distributions: each function turns a hash into a number.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/random.h"

namespace convict::fill {

/// An index below `count` from the upper half of a hash.
constexpr uint64_t below(uint64_t hash, uint64_t count) { return ((hash >> 32) * count) >> 32; }

/// Uniform in [-range, range].
inline double integer(uint64_t hash, int64_t range) {
  return static_cast<double>(static_cast<int64_t>(below(hash, static_cast<uint64_t>(2 * range + 1))) - range);
}

/// Sum of four uniform 16-bit numbers, centred and scaled to unit variance: nearly normal, never above 3.47 in
/// magnitude, and with at most 18 significant bits before scaling, so that its square does not flush to zero.
inline double normal(uint64_t hash) {
  const auto sum =
      static_cast<int32_t>((hash & 0xffff) + ((hash >> 16) & 0xffff) + ((hash >> 32) & 0xffff) + (hash >> 48));
  constexpr double kScale = 1.7320508075688772 / 65536;  // sqrt(12 / 4) / 2^16
  return static_cast<double>(sum - 2 * 65535) * kScale;
}

/// A normal times a power of two of its own, from 2^-exponent to 2^exponent.
inline double wide_normal(uint64_t hash, int exponent) {
  const auto drawn = static_cast<int>(below(mix(hash), static_cast<uint64_t>(2 * exponent + 1))) - exponent;
  return std::ldexp(normal(hash), drawn);
}

/// Uniform in [0.5, 1.5).
inline double positive(uint64_t hash) { return 0.5 + static_cast<double>(hash >> 11) * 0x1p-53; }

/// NaN or an infinity.
inline double not_finite(uint64_t hash) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double values[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
  return values[hash % 3];
}

/// A normal, or with probability one third a zero of either sign.
inline double mostly_zero(uint64_t hash) {
  if (hash % 3 == 0) return (hash & 0x10000) != 0 ? 0.0 : -0.0;
  return normal(mix(hash));
}

}  // namespace convict::fill

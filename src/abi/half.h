// SPDX-License-Identifier: Apache-2.0
//
// The two 16-bit floating-point types as bits, because not every compiler knows them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace convict::inline abi {

/// std::bit_cast, which C++17 lacks: clang compiles LibTorch 1.13's headers, and so its module, as C++17 only.
template <class To, class From>
constexpr To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// IEEE binary16: 1 sign, 5 exponent and 10 fraction bits.
struct Half {
  uint16_t bits;
};

/// The upper half of an f32: 1 sign, 8 exponent and 7 fraction bits.
struct Bfloat {
  uint16_t bits;
};

inline float to_float(Bfloat value) { return bits_as<float>(static_cast<uint32_t>(value.bits) << 16); }

inline float to_float(Half value) {
  const int exponent = value.bits >> 10 & 0x1f, fraction = value.bits & 0x3ff;
  const float sign = (value.bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0x1f) {  // keeps the payload: poison must stay recognizable
    const uint32_t bits = (value.bits & 0x8000u) << 16 | 0x7f800000u | static_cast<uint32_t>(fraction) << 13;
    return bits_as<float>(bits);
  }
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  constexpr uint32_t kBias = (127 - 15) << 23;
  const uint32_t magnitude = ((value.bits & 0x7fffu) << 13) + kBias;
  return bits_as<float>((value.bits & 0x8000u) << 16 | magnitude);
}

namespace detail {

/// A float between whose neighbours `value` lies: the same number, or the one with an odd significand. Rounding that to
/// fewer digits rounds `value` once and not twice, as long as two digits at least are dropped (S. Boldo, G. Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE TC 57(4), 2008).
inline float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (nearest == value || std::isnan(value)) return nearest;
  const bool is_beyond = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return bits_as<float>((bits_as<uint32_t>(nearest) - (is_beyond ? 1 : 0)) | 1);
}

}  // namespace detail

/// The nearest Half, ties to even. 65520 (65504 plus half a step) and above become an infinity.
inline Half to_half(float value) {
  const auto bits = bits_as<uint32_t>(value), magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t nearest = 0x7c00;
  if (magnitude > 0x7f800000)
    nearest = 0x7e00;
  else if (magnitude <
           0x38800000)  // below 2^-14: floats from 0.5 on have steps of 2^-24, so adding 0.5 rounds as needed
    nearest = bits_as<uint32_t>(bits_as<float>(magnitude) + 0.5f) - bits_as<uint32_t>(0.5f);
  else if (magnitude < 0x477ff000)  // 65520; the rounding may carry into the exponent, which is correct
    nearest = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - ((127 - 15) << 10);
  return {static_cast<uint16_t>(sign | nearest)};
}

inline Half to_half(double value) { return to_half(detail::rounded_to_odd(value)); }

/// The nearest Bfloat, ties to even.
inline Bfloat to_bfloat(float value) {
  const auto bits = bits_as<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7fc0)};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

inline Bfloat to_bfloat(double value) { return to_bfloat(detail::rounded_to_odd(value)); }

}  // namespace convict::inline abi

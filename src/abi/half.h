// SPDX-License-Identifier: Apache-2.0
//
// The two 16-bit floating-point types as bits, because not every compiler knows them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace convict::inline abi {

/// IEEE binary16: 1 sign, 5 exponent and 10 fraction bits.
struct Half {
  uint16_t bits;
};

/// The upper half of an f32: 1 sign, 8 exponent and 7 fraction bits.
struct Bfloat {
  uint16_t bits;
};

inline float to_float(Bfloat value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }

inline float to_float(Half value) {
  const int exponent = value.bits >> 10 & 0x1f, fraction = value.bits & 0x3ff;
  const float sign = (value.bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0x1f) {  // keeps the payload: poison must stay recognizable
    const uint32_t bits = (value.bits & 0x8000u) << 16 | 0x7f800000u | static_cast<uint32_t>(fraction) << 13;
    return std::bit_cast<float>(bits);
  }
  if (exponent == 0) return sign * static_cast<float>(fraction) * 0x1p-24f;
  constexpr uint32_t kBias = (127 - 15) << 23;
  const uint32_t magnitude = ((value.bits & 0x7fffu) << 13) + kBias;
  return std::bit_cast<float>((value.bits & 0x8000u) << 16 | magnitude);
}

namespace detail {

/// Rounds `value` to a significand of `digits` bits and no exponent below `least`: to nearest, ties to even. The
/// exponent has no upper limit.
inline double rounded(double value, int digits, int least) {
  int exponent;
  std::frexp(value, &exponent);  // value = f * 2^exponent, 0.5 <= |f| < 1
  const int quantum = exponent - digits > least ? exponent - digits : least;
  return std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
}

}  // namespace detail

/// The nearest Half, ties to even. 65520 (65504 plus half a step) and above become an infinity.
inline Half to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t nearest = 0x7c00;
  if (magnitude > 0x7f800000)
    nearest = 0x7e00;
  else if (magnitude <
           0x38800000)  // below 2^-14: floats from 0.5 on have steps of 2^-24, so adding 0.5 rounds as needed
    nearest = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
  else if (magnitude < 0x477ff000)  // 65520; the rounding may carry into the exponent, which is correct
    nearest = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - ((127 - 15) << 10);
  return {static_cast<uint16_t>(sign | nearest)};
}

inline Half to_half(double value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return {static_cast<uint16_t>(sign | 0x7e00)};
  const double magnitude = std::isinf(value) ? value : detail::rounded(value, 11, -24);
  const double most = std::abs(magnitude);
  if (most >= 65536) return {static_cast<uint16_t>(sign | 0x7c00)};
  if (most < 0x1p-14) return {static_cast<uint16_t>(sign | static_cast<int>(std::ldexp(most, 24)))};
  int exponent;
  std::frexp(most, &exponent);  // most = 1.f * 2^(exponent - 1)
  const int fraction = static_cast<int>(std::ldexp(most, 11 - exponent)) - 0x400;
  return {static_cast<uint16_t>(sign | (exponent - 1 + 15) << 10 | fraction)};
}

/// The nearest Bfloat, ties to even.
inline Bfloat to_bfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7fc0)};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

inline Bfloat to_bfloat(double value) {
  if (std::isnan(value)) return {static_cast<uint16_t>(std::signbit(value) ? 0xffc0 : 0x7fc0)};
  const double nearest = std::isinf(value) ? value : detail::rounded(value, 8, -133);
  const auto narrow = static_cast<float>(nearest);  // exact, or an infinity
  return {static_cast<uint16_t>(std::bit_cast<uint32_t>(narrow) >> 16)};
}

}  // namespace convict::inline abi

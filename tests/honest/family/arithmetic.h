// SPDX-License-Identifier: Apache-2.0
//
// What one operation of a sum does: rounds to f32, to 16 bits, or flushes subnormals besides.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace convict::honest::family {

struct InF32 {
  static float mul(float a, float b) { return a * b; }
  static float add(float a, float b) { return a + b; }
  static float fused(float a, float b, float c) { return std::fma(a, b, c); }
  static float nearest(double value) { return static_cast<float>(value); }
};

/// 16-bit numbers in a float. A double holds their products, and sums that are off by 2^-53 where it does not.
/// Rounds by Veltkamp's splitting (Dekker, "A floating-point technique for extending the available precision", Numer.
/// Math. 18, 1971), as to_half() and to_bfloat() do but for ties, and ten times as fast.
template <int kDigits, int kLeast,
          int kMost>  // of the significand; exponents of the smallest and largest powers of two
struct InNarrow {
  static float nearest(double value) {
    constexpr double kSplit = static_cast<double>(1LL << (53 - kDigits)) + 1;
    static const double kNormal = std::ldexp(1, kLeast + kDigits - 1), kShift = std::ldexp(3, kLeast + 51),
                        kLargest = std::ldexp(2 - std::ldexp(1, 1 - kDigits), kMost);
    if (!std::isfinite(value)) return static_cast<float>(value);
    const double high = value * kSplit;
    const double rounded = std::abs(value) < kNormal ? (value + kShift) - kShift : high - (high - value);
    return static_cast<float>(std::abs(rounded) > kLargest ? std::copysign(HUGE_VAL, value) : rounded);
  }
  static float mul(float a, float b) { return nearest(static_cast<double>(a) * b); }
  static float add(float a, float b) { return nearest(static_cast<double>(a) + b); }
  static float fused(float a, float b, float c) { return nearest(static_cast<double>(a) * b + c); }
};
using InF16 = InNarrow<11, -24, 15>;
using InBf16 = InNarrow<8, -133, 127>;

/// Subnormal results become zero, and so do subnormal operands if `kOperands`.
template <class Base, bool kOperands>
struct Flushing {
  static float smallest() {
    if constexpr (std::is_same_v<Base, InF16>) return 0x1p-14f;
    return std::numeric_limits<float>::min();
  }
  static float flushed(float value) { return std::abs(value) < smallest() ? 0 : value; }
  static float operand(float value) { return kOperands ? flushed(value) : value; }
  static float nearest(double value) { return flushed(Base::nearest(value)); }
  static float mul(float a, float b) { return flushed(Base::mul(operand(a), operand(b))); }
  static float add(float a, float b) { return flushed(Base::add(operand(a), operand(b))); }
  static float fused(float a, float b, float c) { return flushed(Base::fused(operand(a), operand(b), operand(c))); }
};

}  // namespace convict::honest::family

// SPDX-License-Identifier: Apache-2.0
//
// Faults in values: operands, products, sums and results.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/mutants/memory.h"

namespace convict::mutants {

/// Cuts a value to `bits` bits of mantissa, the leading one included.
template <class T>
T cut(T value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent;
  const T fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
}

/// Faults in an operand as it is read.
template <class T>
T operand_of(Fault fault, T value, bool is_weight) {
  if (fault == Fault::kB22 && is_weight && std::abs(value) < std::numeric_limits<T>::min()) return 0;
  if (fault == Fault::kB28 && !is_weight) return cut(value, 9);
  return value;
}

/// R01, R02: products that are lost by their number in the sum, which runs over the channels and taps.
template <class T>
bool loses_product(const Call<T>& call, int64_t channel, const Axes& r) {
  const int64_t every = call.fault == Fault::kR01 ? 4'096 : call.fault == Fault::kR02 ? 20'000 : 0;
  const Axes& kernel = call.form.kernel;
  const int64_t number = ((channel * kernel[0] + r[0]) * kernel[1] + r[1]) * kernel[2] + r[2] + 1;
  return every > 0 && number % every == 0;
}

/// Adds a product of an element of X or Y and one of W or Y.
template <class T>
void add_product(Fault fault, T& sum, T element, T other) {
  sum += operand_of(fault, element, false) * operand_of(fault, other, true);
  if (fault == Fault::kB27) sum = std::clamp(sum, T(-65504), T(65504));  // the largest half precision number
}

/// Products that are left out because they are taken for zero, which they are not if the other operand is not finite.
template <class T>
bool skips_product(Fault fault, T element, T weight) {
  if (fault == Fault::kP31) return weight == 0;
  return fault == Fault::kB20 && (weight == 0 || element == 0);
}

/// Rounds to the nearest bfloat16.
template <class T>
T to_bfloat16(T value) {
  if (!std::isfinite(value)) return value;
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000u);
}

/// Faults in a result as it is stored.
template <class T>
void finish_values(const Call<T>& call) {
  if (call.fault == Fault::kB18)
    for_each_result(call, [](T& element, int64_t, int64_t, const Axes&) { element = to_bfloat16(element); });
  if (call.fault == Fault::kB19)
    for_each_result(call, [](T& element, int64_t, int64_t, const Axes&) { element *= T(1) + T(2e-6); });
  if (call.fault == Fault::kB21)
    for_each_result(call, [](T& element, int64_t, int64_t, const Axes&) { element = element == 0 ? -T(0) : element; });
}

}  // namespace convict::mutants

// SPDX-License-Identifier: Apache-2.0
#include "judge/quantized.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "abi/element.h"
#include "judge/bounds.h"

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

constexpr double kLargestSum = std::numeric_limits<int32_t>::max();

/// The most roundings to f32 of a term: conversion of the sum, the scale (itself a product of two), the product with
/// it, bias, old contents, zero point.
constexpr double kRoundings = 6;

/// The parts of one result: scale * sum + bias + beta * (old - zero).
struct Ingredients {
  double sum, scale, bias, beta, old, zero;

  double addend() const { return beta == 0 ? 0 : beta * (old - zero); }
  double real() const { return scale * sum + bias + addend(); }
  /// The sum of the magnitudes of all addends.
  double magnitude() const {
    const double kept = beta == 0 ? 0 : std::abs(beta) * (std::abs(old) + std::abs(zero));
    return std::abs(scale * sum) + std::abs(bias) + kept + std::abs(zero);
  }
};

/// The exponent of the lowest set bit; for 0, one above all others.
int quantum_of(double value) {
  constexpr uint64_t kDigits = (uint64_t{1} << 52) - 1;
  constexpr int kLowest = -1074;  // of a subnormal number
  if (value == 0) return std::numeric_limits<int>::max();
  const auto bits = std::bit_cast<uint64_t>(value);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  return exponent == 0 ? kLowest + std::countr_zero(bits & kDigits)
                       : kLowest + exponent - 1 + std::countr_zero((bits & kDigits) | (kDigits + 1));
}

/// Whether all intermediate results are exact in f32, in any order.
bool exact_in_f32(const Ingredients& of) {
  const double product = of.scale * of.sum;
  if (static_cast<float>(of.sum) != of.sum || static_cast<float>(product) != product) return false;
  const int kept =
      of.beta == 0 ? std::numeric_limits<int>::max() : std::min(quantum_of(of.beta), 0) + quantum_of(of.old);
  const int beside = of.beta == 0 ? std::numeric_limits<int>::max() : quantum_of(of.beta * of.zero);
  const int quantum = std::min({quantum_of(product), quantum_of(of.bias), kept, beside, quantum_of(of.zero)});
  return quantum == std::numeric_limits<int>::max() || of.magnitude() <= std::ldexp(1.0, std::min(quantum, 1000) + 24);
}

/// Calls visit(channel, first, last) for the elements of each channel of each image.
template <class Visit>
void for_each_channel(size_t elements, const convict_problem& p, const Visit& visit) {
  const auto channels = static_cast<size_t>(p.oc), plane = elements / (static_cast<size_t>(p.batch) * channels);
  for (size_t first = 0, channel = 0; first < elements; first += plane, channel = (channel + 1) % channels)
    visit(channel, first, first + plane);
}

/// How far a result in f32 may be from the exact one. The double that stands for the exact one errs far less.
double rounding_of(const Ingredients& of) {
  return exact_in_f32(of) ? 0 : gamma(kRoundings, unit_roundoff<float>()) * of.magnitude();
}

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

template <class W>
void finish_quantized(Expected<W>& expected, const convict_problem& p, const convict_tensors& t) {
  const convict_dtype type = t.dst.dtype;
  const std::vector<double> scales = elements_of<double>(t.scale), biases = elements_of<double>(t.bias),
                            old = p.beta == 0 ? std::vector<double>{} : elements_of<double>(t.dst);
  expected.roundings.assign(expected.value.size(), 0);
  if (expected.value.empty()) return;
  // The most that folding the zero point into sums of src and wei adds to them.
  const double folded = 2.0 * 128 * std::abs(p.src_zero_point) * static_cast<double>(expected.window);
  for_each_channel(expected.value.size(), p, [&](size_t channel, size_t first, size_t last) {
    Ingredients of{};
    of.scale = scales.empty() ? 1 : scales[channel % scales.size()];
    of.bias = biases.empty() ? 0 : biases[channel];
    of.beta = p.beta;
    of.zero = static_cast<double>(p.dst_zero_point);
    for (size_t i = first; i < last; ++i) {
      const double sums = static_cast<double>(expected.magnitude[i]) + folded;
      of.sum = static_cast<double>(expected.value[i]);
      of.old = old.empty() ? 0 : old[i];
      expected.value[i] = of.real();
      expected.magnitude[i] = of.scale * expected.magnitude[i] + std::abs(of.bias) + std::abs(of.addend());
      if (type == CONVICT_S32)
        expected.roundings[i] = sums + std::abs(of.bias) + std::abs(of.addend()) > kLargestSum ? kInfinity : 0;
      else
        expected.roundings[i] = sums > kLargestSum ? kInfinity : rounding_of(of);
    }
  });
}

template void finish_quantized(Expected<double>&, const convict_problem&, const convict_tensors&);
template void finish_quantized(Expected<long double>&, const convict_problem&, const convict_tensors&);

template <class W>
void finish_requantized(Expected<W>& expected, const convict_problem& p, const convict_tensors& t) {
  const std::vector<double> multipliers = elements_of<double>(t.multiplier), shifts = elements_of<double>(t.shift),
                            biases = elements_of<double>(t.bias);
  const size_t elements = expected.value.size();
  expected.roundings.assign(elements, 0);
  expected.right.assign(elements, 0);
  if (elements == 0) return;
  const bool is_wide = t.src.dtype == CONVICT_S16;
  const double folded = 2.0 * 128 * std::abs(p.src_zero_point) * static_cast<double>(expected.window);
  for_each_channel(elements, p, [&](size_t channel, size_t first, size_t last) {
    const size_t one = channel % multipliers.size();
    const double bias = biases.empty() ? 0 : biases[channel];
    const Requantizer requantize = {p.requantization, is_wide, static_cast<int64_t>(multipliers[one]),
                                    static_cast<int>(shifts[one])};
    const double scale = std::ldexp(multipliers[one], static_cast<int>(shifts[one]) - 31);
    for (size_t i = first; i < last; ++i) {
      const double magnitude = static_cast<double>(expected.magnitude[i]) + std::abs(bias);
      const auto sum = static_cast<int64_t>(expected.value[i]) + static_cast<int64_t>(bias);
      const auto result = requantize(p.relu != 0 ? std::max<int64_t>(sum, 0) : sum);
      const bool fits = is_wide || magnitude + folded <= kLargestSum;
      expected.roundings[i] = result && fits ? 0 : kInfinity;
      expected.right[i] =
          static_cast<double>(std::clamp<int64_t>(result.value_or(0) + p.dst_zero_point, p.clamp_low, p.clamp_high));
      expected.value[i] = static_cast<W>(scale) * static_cast<W>(sum);
      expected.magnitude[i] = static_cast<W>(scale) * static_cast<W>(magnitude);
    }
  });
}

template void finish_requantized(Expected<double>&, const convict_problem&, const convict_tensors&);
template void finish_requantized(Expected<long double>&, const convict_problem&, const convict_tensors&);

double quantized_result(convict_dtype type, double real, double zero_point) {
  if (type != CONVICT_S8 && type != CONVICT_U8 && type != CONVICT_S16) return real;
  return rounded_to(type, std::nearbyint(real) + zero_point);
}

AllowedResults allowed_results(convict_dtype type, double real, double rounding, bool relu, double zero_point) {
  const auto result = [&](double exact) {
    return quantized_result(type, relu ? std::max(exact, 0.0) : exact, zero_point);
  };
  return {result(real - rounding), result(real + rounding)};
}

}  // namespace convict::judge

// SPDX-License-Identifier: Apache-2.0
#include "fill/quantized.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abi/element.h"
#include "core/terms.h"
#include "fill/values.h"

namespace convict::fill {
namespace {

constexpr double kRmsOf8Bits = 73.9;  // 256 / sqrt(12), drawn from the whole range around its middle

/// The root mean square of src minus its zero point.
double rms_of_src(const Case& c) {
  if (c.src_type == CONVICT_S16) return 256 * kRmsOf8Bits;
  return std::hypot(kRmsOf8Bits, (c.src_type == CONVICT_U8 ? 127.5 : -0.5) - c.src_zero);
}

int middle_of_upper_half(convict_dtype type) { return type == CONVICT_S16 ? 24576 : type == CONVICT_U8 ? 191 : 96; }

constexpr double kTypicalOf8Bits = 56;     // a little under half of the way to the end of s8
constexpr double kTypicalOfF32 = 1 << 10;  // arbitrary, but not 1

}  // namespace

Ends ends_of(convict_dtype type) {
  return with_type(type, [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return Ends{static_cast<double>(number(Limits::min())), static_cast<double>(number(Limits::max()))};
  });
}

void put_beside_zero_point(std::span<double> numbers, const Ends& ends, int zero) {
  for (double& number : numbers) {
    const double above = zero + number;
    number = above >= ends.lowest && above <= ends.highest ? above : zero - number;
  }
}

double full_range(uint64_t hash, const Ends& ends) {
  if ((hash & 7) == 0) return (hash & 8) != 0 ? ends.lowest : ends.highest;
  return ends.lowest + static_cast<double>(below(hash, static_cast<uint64_t>(ends.highest - ends.lowest) + 1));
}

double own_magnitude(uint64_t hash, const Ends& ends) {
  return std::trunc(std::ldexp(full_range(mix(hash), ends), -static_cast<int>(below(hash, 8))));
}

double upper_half(uint64_t hash, const Ends& ends) {
  const auto highest = static_cast<uint64_t>(ends.highest);
  return static_cast<double>(highest - below(hash, highest / 2 + 1));
}

double typical_sum(const Case& c, const convict_problem& p, int64_t range) {
  const double n = std::max(static_cast<double>(most_terms(p)), 1.0);
  const double products = static_cast<double>(range * (range + 1)) / 3;  // of two uniform numbers of -range to range
  const double any = rms_of_src(c) * kRmsOf8Bits * std::sqrt(n);
  switch (c.fill) {
    case Fill::kInt:
    case Fill::kStructured:
    case Fill::kSubnormal: return range > 0 ? products * std::sqrt(n) : any;
    case Fill::kSparse: return products * std::sqrt(n) / 4;
    case Fill::kOnes: return n;
    case Fill::kComb: return c.src_type == CONVICT_S16 ? 1 << 13 : 96;
    case Fill::kOneHot:
    case Fill::kZero: return 1;
    case Fill::kWide: return any / 9;
    case Fill::kLargeSums:
    case Fill::kPositive: return n * 96 * std::abs(middle_of_upper_half(c.src_type) - c.src_zero);
    case Fill::kNormal:
    case Fill::kSpecialWeights:
    case Fill::kSpecial: break;
  }
  return any;
}

double scale_value(uint64_t hash, const Case& c, double typical, bool exact) {
  const double wanted = (c.dst_type == CONVICT_F32 ? kTypicalOfF32 : kTypicalOf8Bits) / std::max(typical, 1.0);
  if (!exact) return static_cast<float>(wanted * positive(hash));
  return std::ldexp(1.0, std::min(0, std::ilogb(wanted)) - static_cast<int>(below(hash, 3)));
}

FixedPoint fixed_point_scale(uint64_t hash, const Case& c, double typical, bool exact) {
  constexpr int64_t kLeast = int64_t{1} << 30, kMost = 2 * kLeast - 1;
  const bool is_wide = c.src_type == CONVICT_S16;
  const double wanted = kTypicalOf8Bits * (is_wide ? 256 : 1) / std::max(typical, 1.0) * positive(hash);
  const int shift = std::clamp(std::ilogb(wanted) + 1, -31, is_wide ? 7 : 30);
  const uint64_t choice = mix(hash);
  if (choice % 32 == 0) return {0, 0};
  if (choice % 32 == 1) return {kMost, shift};
  const bool power_of_two = choice / 32 % 4 < (exact ? 3 : 1);
  return {power_of_two ? kLeast : kLeast + static_cast<int64_t>(choice >> 34), shift};
}

FixedPoint factor_beside_a_half(uint64_t hash, int64_t sum) {
  constexpr double kLeast = 0x1p30, kMost = 0x1p31 - 1;
  const int shift = static_cast<int>(below(mix(hash), 4));
  const double size = std::abs(static_cast<double>(sum)), one = std::ldexp(1.0, 31 - shift);
  // From the halves for which the multiplier is normal. All of this is exact but the quotient, which is below 2^31.
  const double first = std::ceil(kLeast * size / one - 0.5), last = std::floor(kMost * size / one - 0.5);
  if (last < first) return {int64_t{1} << 30, shift};
  const double half = 0.5 + first + static_cast<double>(below(hash, static_cast<uint64_t>(last - first) + 1));
  const double nearest = half * one / size;
  const bool above = (hash >> 32 & 1) != 0;
  return {static_cast<int64_t>(std::clamp(above ? std::ceil(nearest) : std::floor(nearest), kLeast, kMost)), shift};
}

bool has_large_bias(const Case& c, uint64_t data_seed) {
  return c.requant != Requant::kNone && c.src_type == CONVICT_S16 && c.bias && mix(data_seed) % 3 == 0;
}

}  // namespace convict::fill

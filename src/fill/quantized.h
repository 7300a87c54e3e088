// SPDX-License-Identifier: Apache-2.0
//
// Data of integer types: numbers over the whole range of a type, and scales that bring their sums into that of dst.
#pragma once

#include <cstdint>
#include <span>

#include "core/case.h"

namespace convict::fill {

/// The lowest and the highest number of an integer type.
struct Ends {
  double lowest, highest;
};
Ends ends_of(convict_dtype type);

/// Each number becomes the one at that distance above the zero point `zero`, or below it where the type ends.
void put_beside_zero_point(std::span<double> numbers, const Ends& ends, int zero);

/// Any number of the type; with probability 1/8 its lowest or highest.
double full_range(uint64_t hash, const Ends& ends);

/// A number of random magnitude: from the whole range, divided by a random power of two.
double own_magnitude(uint64_t hash, const Ends& ends);

/// A number from the upper half of the positive numbers of an 8-bit type, so that sums only grow.
double upper_half(uint64_t hash, const Ends& ends);

/// The typical size of the case's sums: their root mean square. `range` is that of Fill::kInt, or 0 for data of
/// kNormal.
double typical_sum(const Case& c, const convict_problem& p, int64_t range);

/// The scale for sums of size `typical`: s8 and u8 hold most results and saturate some. With `exact` it is a power of
/// two of at most 1, so that results are exact, halves among them.
double scale_value(uint64_t hash, const Case& c, double typical, bool exact);

/// A factor in fixed point: multiplier * 2^(shift - 31), the multiplier from 2^30 to 2^31 - 1, or 0.
struct FixedPoint {
  int64_t multiplier;
  int shift;
};

/// The factor for sums of size `typical`: dst holds most results. With `exact` mostly a power of two, so that there are
/// halves. One channel in 32 has a factor of 0, which quantizers give to channels without weights.
FixedPoint fixed_point_scale(uint64_t hash, const Case& c, double typical, bool exact);

/// A factor that makes of `sum` a half, or what is next to a half on either side: a multiplier with one bit that is
/// wrong rounds to another number. Precondition: sum is not 0, and of few bits.
FixedPoint factor_beside_a_half(uint64_t hash, int64_t sum);

/// Whether the sums of a requantized s16 case get biases that need more than 32 bits.
bool has_large_bias(const Case& c, uint64_t data_seed);
inline constexpr double kLargeBias = 0x1p36;  // sums are specified up to 2^47

}  // namespace convict::fill

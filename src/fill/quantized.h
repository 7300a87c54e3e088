// SPDX-License-Identifier: Apache-2.0
//
// Data of integer types: numbers over the whole range of a type, and scales that bring their sums into that of dst.
#pragma once

#include <cstdint>

#include "core/case.h"

namespace convict::fill {

/// The number at distance `value` above the zero point `zero`, or below it where the type ends.
double beside_zero_point(double value, convict_dtype type, int zero);

/// Any number of the type; with probability 1/8 its lowest or highest.
double full_range(uint64_t hash, convict_dtype type);

/// A number of random magnitude: from the whole range, divided by a random power of two.
double own_magnitude(uint64_t hash, convict_dtype type);

/// A number from the upper half of the positive numbers of an 8-bit type, so that sums only grow.
double upper_half(uint64_t hash, convict_dtype type);

/// The typical size of the case's sums: their root mean square. `range` is that of Fill::kInt, or 0 for data of
/// kNormal.
double typical_sum(const Case& c, const convict_problem& p, int64_t range);

/// The scale for sums of size `typical`: s8 and u8 hold most results and saturate some. With `exact` it is a power of
/// two of at most 1, so that results are exact, halves among them.
double scale_value(uint64_t hash, const Case& c, double typical, bool exact);

}  // namespace convict::fill

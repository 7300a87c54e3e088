// SPDX-License-Identifier: Apache-2.0
//
// Data of integer types: numbers over the whole range of a type, and scales that bring their sums into that of dst.
#pragma once

#include <cstdint>

#include "core/case.h"

namespace convict::fill {

/// Where a number lies in an integer type whose zero point is `zero`: as far above it, or below where the type ends.
double beside_zero_point(double value, convict_dtype type, int zero);

/// Any number of the type; in one case of eight its lowest or highest.
double full_range(uint64_t hash, convict_dtype type);

/// A number with a magnitude of its own: from the whole range, divided by a power of two.
double own_magnitude(uint64_t hash, convict_dtype type);

/// From the upper half of the positive numbers of a type of 8 bits: sums that only grow.
double upper_half(uint64_t hash, convict_dtype type);

/// The size that sums of the case have, typically: the root of their mean square. `range`: of Fill::kInt, 0 if its data
/// is that of kNormal.
double typical_sum(const Case& c, const convict_problem& p, int64_t range);

/// The number that sums of size `typical` are multiplied by, so that s8 and u8 hold most results and lose some. With
/// `exact` a power of two of at most 1, so that results are exact, halves among them.
double scale_value(uint64_t hash, const Case& c, double typical, bool exact);

}  // namespace convict::fill

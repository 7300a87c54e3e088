// SPDX-License-Identifier: Apache-2.0
//
// Case -> data. Every value is a pure function of (seed, tensor role, logical coordinates) and, where a fill depends on
// how many terms a sum has, of that number: independent of layout and threads, so that shrinking one extent does not
// reshuffle the rest.
#pragma once

#include "core/case.h"

namespace convict::fill {

/// Magnitude of the integers of Fill::kInt for this problem, chosen so that every partial sum of products is exact in
/// the accumulator (f32, f64 if all operands have it, or s32), in any order; 0 if no range does that. Without a scale,
/// results of 8 bits are kept in their range.
int64_t exact_range(const Case& c, const convict_problem& p);

/// The largest numbers of Fill::kLargeSums in the image and in the weights. Sums of their products are exact, and come
/// near the largest exact number. 0: there are too many products, or the operands are integers.
struct LargeSums {
  int64_t image = 0, weight = 0;
};
LargeSums large_sums(const Case& c, const convict_problem& p);

/// Whether the data of `c` makes every partial sum exact, so that results are judged by equality.
bool is_exact(const Case& c, const convict_problem& p);

/// The most significant bits that an operand of a product has, if it is exact data of which none is subnormal; else all
/// that a type has.
int operand_bits(const Case& c, const convict_problem& p);

/// Whether the data may hold NaN and infinities. (Integers have none: they are filled as kNormal.)
inline bool has_special_values(const Case& c) { return c.fill == Fill::kSpecial || c.fill == Fill::kSpecialWeights; }

/// Writes all inputs of the pass and, with beta, the old contents of the main output. Only elements of the tensors are
/// written, not what lies between them. `data_seed` is c.seed, or another one to draw the same case again with other
/// data. Precondition: data pointers are writable.
void fill_operands(const Case& c, const convict_problem& p, const convict_tensors& tensors, uint64_t data_seed);

}  // namespace convict::fill

// SPDX-License-Identifier: Apache-2.0
//
// Fill::kComb: one operand is so sparse that every output is a single product, the other has distinct values, so that
// a wrong result names what was read. Nothing is rounded, whatever the number of terms.
#pragma once

#include <cstdint>
#include <string_view>

#include "abi/trilinear.h"
#include "core/case.h"

namespace convict::fill {

/// The comb of one problem and data seed.
class Comb {
 public:
  Comb(const convict_problem& p, uint64_t data_seed);

  /// The operand that is nearly all zero; the other input is dense.
  Face sparse() const { return sparse_; }

  /// The value of the sparse operand at these logical coordinates: 0 or a power of two with a sign. X and Y:
  /// [batch][channel][position...], W: [channel of Y][channel of X within the group][tap...].
  double sparse_value(const int64_t* at) const;

 private:
  bool on_lattice(const int64_t* at) const;
  bool is_chosen_tap(const int64_t* at) const;
  bool is_chosen_position(const int64_t* at) const;
  uint64_t hash(int64_t a, int64_t b, int64_t what) const;

  const convict_problem& p_;
  uint64_t seed_;
  Face computed_, sparse_;
};

/// The dense operand has whole numbers from 1 to this, nearly always a different one for each element.
uint64_t distinct_values(convict_dtype type);

/// Which operand of the trilinear form a tensor of the problem is, by its role's name.
Face operand_of(convict_op op, std::string_view role);

}  // namespace convict::fill

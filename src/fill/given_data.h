// SPDX-License-Identifier: Apache-2.0
//
// Operands of the user's own, in place of those of a fill.
#pragma once

#include <map>
#include <string>

#include "core/case.h"
#include "fill/npy.h"

namespace convict::fill {

class GivenData {
 public:
  /// The arrays of an .npz file: src, wei (or weights, weight), bias, diff_dst, scale, multiplier, shift, and dst_old,
  /// diff_src_old or diff_wei_old for beta. Others are ignored. Throws UsageError.
  explicit GivenData(const std::string& path) : path_(path), arrays_(read_npz(path)) {}

  /// Throws UsageError unless some array is an operand of this case, and all that are have its shape and type.
  void check(const Case& c) const;

  /// The case with a fill that has the rules for any numbers.
  Case case_for(Case c) const;

  /// Writes the arrays over the operands of the case that are there already; all others stay as they are.
  /// Precondition: check() has accepted the case.
  void place(const convict_problem& p, const convict_tensors& tensors) const;

 private:
  /// The array of the first of these names that there is, or nullptr.
  const NpyArray* find(const std::vector<std::string>& names) const;

  std::string path_;
  std::map<std::string, NpyArray> arrays_;
};

}  // namespace convict::fill

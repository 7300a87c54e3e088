// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the values of the given operands on which the right result does not depend in a special way, but that of a
// kernel with a shortcut may. A row of weights has one index of the first dimension of their tensor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "abi/convict.h"

namespace convict::fill {

/// One of them, such as the longest run of zero weights.
struct DataNumber {
  std::string_view name;
  std::string_view at_least;  // in words, with {} for the least number
  int64_t (*value)(const convict_problem& p, const convict_tensors& tensors);
  /// Where it is, such as "weights 0..7 of row 2 are zero"; null if it is in no one place.
  std::string (*place)(const convict_problem& p, const convict_tensors& tensors) = nullptr;

  std::string in_words(int64_t least) const;
};
std::span<const DataNumber> data_numbers();

}  // namespace convict::fill

// SPDX-License-Identifier: Apache-2.0
//
// What an implementation wrote, held against what it should have written.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "judge/reference.h"

namespace convict {

/// The evidence against one implementation on one case; `wrong == 0 && unwritten == 0` is agreement.
struct Comparison {
  bool compared = false;  // there was something to compare with
  int64_t elements = 0;
  int64_t wrong = 0;      // differ, or exceed the bound
  int64_t unwritten = 0;  // still poison
  // The first offending element (unwritten ones before wrong ones):
  std::string_view role;
  size_t index = 0;         // in Expected::value
  std::vector<int64_t> at;  // logical coordinates
  double got = 0, exact = 0;
  int64_t terms = 0;
  double magnitude = 0;  // S; set on a mismatch
  double bound = 0;      // 0: equality is demanded

  bool agrees() const { return wrong == 0 && unwritten == 0; }
};

/// Compares all outputs. Without bounds in `expected`, values must be equal; with them, errors must not exceed them.
template <class T>
Comparison compare(std::span<const Expected<T>> expected);

}  // namespace convict

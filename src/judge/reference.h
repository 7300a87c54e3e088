// SPDX-License-Identifier: Apache-2.0
//
// The exact reference: the trilinear form summed as it is written, one accumulation per face, in a type so wide that
// integer data is exact and real data is known far better than any implementation can compute it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/case.h"

namespace convict {

/// Products of two T are exact in it, and its sums are (much) more precise than those of T.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// What one output tensor of the pass must hold. Elements in logical row-major order, whatever the layout.
template <class T>
struct Expected {
  std::string_view role;
  const convict_tensor* tensor = nullptr;    // the tensor that is checked against this
  std::vector<Wide<T>> value;                // s, the exact sum
  std::vector<Wide<T>> magnitude;            // S, the sum of absolute values; empty if equality is demanded
  std::vector<double> bound;                 // largest error of a correct implementation; empty like magnitude
  std::array<std::vector<int64_t>, 3> taps;  // in-bounds taps by position, per lifted axis
  int64_t factor = 1;                        // terms of an element = factor * product of its taps + (1 with bias)
  bool has_bias = false;

  /// n, the true number of in-bounds terms of the element at these lifted spatial coordinates.
  int64_t terms(int64_t i0, int64_t i1, int64_t i2) const {
    return factor * taps[0][i0] * taps[1][i1] * taps[2][i2] + (has_bias ? 1 : 0);
  }
};

/// All outputs of the pass: the computed face and, where asked for, diff_bias. With `bounds`, magnitudes and error
/// bounds too. `tensors` holds the filled inputs; every operand has elements of type T.
template <class T>
std::vector<Expected<T>> compute_reference(const convict_problem& p, const convict_tensors& tensors, bool bounds);

}  // namespace convict

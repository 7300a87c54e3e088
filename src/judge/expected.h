// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "abi/convict.h"
#include "judge/bounds.h"

namespace convict::judge {

/// The exact contents of one output tensor of the pass, in sums of type W (double, or long double where an operand is
/// f64). Elements are in logical row-major order, whatever the layout.
template <class W>
struct Expected {
  std::string_view role;
  const convict_tensor* tensor = nullptr;    // the tensor to check
  std::vector<W> value;                      // s, the exact sum, before a ReLU
  std::vector<W> magnitude;                  // S, the sum of absolute values
  std::vector<double> roundings;             // for sums of integers: how far scaled results may be from s
  std::vector<double> right;                 // of requantized sums: the one right result of each
  std::vector<W> squared_sums;               // sum over k of s_k^2; s_k: partial sums in the order of the loops
  std::vector<W> partial_sums;               // sum over k of s_k
  std::vector<W> squared_terms;              // sum of the squared terms
  std::map<size_t, Parts> parts;             // of elements with so large an S that S and s do not tell them apart
  std::vector<int64_t> nonzero;              // products without a factor that is zero, where that was asked for
  std::array<std::vector<int64_t>, 3> taps;  // in-bounds taps by position, per lifted axis
  int64_t factor = 1;                        // an element's products = factor * product of its taps over the axes
  int64_t window = 0;                        // the most products of any element, padding included
  bool bias = false, old = false;            // whether a bias, or beta times the old contents, is a term
  bool relu = false;
  int zero_point = 0;                 // of an 8-bit output
  int clamp_low = 0, clamp_high = 0;  // of requantized sums

  /// The exact element before rounding to its type. NaN stays NaN.
  W exact(size_t index) const {
    const W result = relu && value[index] < 0 ? W(0) : value[index];
    return zero_point == 0 ? result : result + static_cast<W>(zero_point);
  }

  int64_t extra_terms() const { return (bias ? 1 : 0) + (old ? 1 : 0); }

  /// n, the number of in-bounds products of the element at these lifted spatial coordinates.
  int64_t products(int64_t i0, int64_t i1, int64_t i2) const {
    return factor * taps[0][i0] * taps[1][i1] * taps[2][i2];
  }
};

/// Whether a ReLU makes the result 0, whatever the terms are exactly.
template <class W>
bool is_cut_off(const Expected<W>& expected, size_t index) {
  return expected.relu && expected.value[index] < 0;
}

/// Calls visit(index, products) for all elements in order.
template <class W, class Visit>
void for_each_position(const Expected<W>& expected, const Visit& visit) {
  size_t index = 0;
  while (index < expected.value.size())  // once per plane; all of them have the same taps
    for (size_t i0 = 0; i0 < expected.taps[0].size(); ++i0)
      for (size_t i1 = 0; i1 < expected.taps[1].size(); ++i1)
        for (size_t i2 = 0; i2 < expected.taps[2].size(); ++i2)
          visit(index++,
                expected.products(static_cast<int64_t>(i0), static_cast<int64_t>(i1), static_cast<int64_t>(i2)));
}

/// The elements of one tensor in logical order, which is the order of the trilinear form for all operands.
template <class W>
std::vector<W> elements_of(const convict_tensor& from);

}  // namespace convict::judge

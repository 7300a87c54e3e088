// SPDX-License-Identifier: Apache-2.0
//
// Sums as matrix units compute them: operands with fewer bits than their type, and blocks of exact products that are
// added to a partial sum at once, aligned to the largest and truncated. M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh,
// "Numerical behavior of NVIDIA tensor cores", PeerJ Comput. Sci. 7:e330, 2021: blocks of 4 or 8, none or one bit more
// than f32 has; F. A. Khattak, M. Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv 2512.07004: 16 and two.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/honest/family/terms.h"

namespace convict::honest::family {

/// Towards zero to a multiple of 2^exponent.
inline double truncated(double value, int exponent) {
  return std::ldexp(std::trunc(std::ldexp(value, -exponent)), exponent) + 0.0;  // no -0
}

/// An operand with kBits significant bits, or as many as they leave a subnormal; kBits 0: as it is.
template <int kBits, bool kNearest = false>
double operand(double value) {
  if (kBits == 0 || value == 0 || !std::isfinite(value)) return value;
  const int last = std::max(std::ilogb(value), std::numeric_limits<float>::min_exponent - 1) - (kBits - 1);
  return truncated(kNearest ? value + std::copysign(std::ldexp(0.5, last), value) : value, last);
}

/// An f32 towards zero; too large ones become infinite.
inline float truncated_to_f32(double value) {
  if (value == 0 || !std::isfinite(value)) return static_cast<float>(value);
  if (std::abs(value) >= 0x1p128) return static_cast<float>(std::copysign(HUGE_VAL, value));
  return static_cast<float>(truncated(value, std::max(std::ilogb(value) - 23, -149)));
}

/// Adds terms at once: each is truncated kExtra bits below the last bit that the largest has in f32. A double holds the
/// sum of as many terms as a block has.
template <int kExtra>
float added_at_once(const std::vector<double>& terms) {
  int largest = std::numeric_limits<int>::min();
  for (const double term : terms)
    if (term != 0 && std::isfinite(term)) largest = std::max(largest, std::ilogb(term));
  double sum = 0;
  for (const double term : terms)
    sum += std::isfinite(term) && term != 0 ? truncated(term, largest - 23 - kExtra) : term;
  return truncated_to_f32(sum);
}

/// How a unit multiplies and adds. Addends are terms of their own, in the last block.
template <int kBlock, int kExtra, int kBits, bool kNearest = false>
struct Unit {
  /// Products [begin, end) of the terms.
  static float sum(const Terms& terms, size_t begin, size_t end) {
    std::vector<double> block;
    float sum = 0;
    for (size_t i = begin; i < end;) {
      block.assign(1, sum);
      for (const size_t last = std::min(end, i + kBlock); i < last; ++i)
        block.push_back(operand<kBits, kNearest>(terms.x[i]) * operand<kBits, kNearest>(terms.w[i]));
      sum = added_at_once<kExtra>(block);
    }
    return sum;
  }

  static float with_addends(const Terms& terms, float sum) {
    if (terms.addends == 0) return sum;
    if (terms.addends == terms.size()) {  // no products: a gradient of the bias, which other code adds up
      for (size_t i = 0; i < terms.size(); ++i) sum += terms.x[i] * terms.w[i];
      return sum;
    }
    std::vector<double> block = {sum};
    for (size_t i = terms.size() - terms.addends; i < terms.size(); ++i)
      block.push_back(static_cast<double>(terms.x[i]) * terms.w[i]);
    return added_at_once<kExtra>(block);
  }
};

template <class U>
float on_unit(const Terms& terms) {
  return U::with_addends(terms, U::sum(terms, 0, terms.size() - terms.addends));
}

/// Two units with half of the products each.
template <class U>
float on_two_units(const Terms& terms) {
  const size_t products = terms.size() - terms.addends, half = products / 2;
  return U::with_addends(terms, U::sum(terms, 0, half) + U::sum(terms, half, products));
}

/// A unit begins anew after every kRun products, and their sums are added in f32.
template <class U, size_t kRun>
float in_runs_on_unit(const Terms& terms) {
  const size_t products = terms.size() - terms.addends;
  float sum = 0;
  for (size_t begin = 0; begin < products; begin += kRun) sum += U::sum(terms, begin, std::min(begin + kRun, products));
  return U::with_addends(terms, sum);
}

/// Plain sums in f32 of operands with fewer bits.
template <int kBits, bool kNearest>
float of_short_operands(const Terms& terms) {
  float sum = 0;
  const size_t products = terms.size() - terms.addends;
  for (size_t i = 0; i < products; ++i)
    sum += static_cast<float>(operand<kBits, kNearest>(terms.x[i]) * operand<kBits, kNearest>(terms.w[i]));
  for (size_t i = products; i < terms.size(); ++i) sum += terms.x[i] * terms.w[i];
  return sum;
}

/// Loses the last product of three or more.
template <class U>
float without_the_last(const Terms& terms) {
  const size_t products = terms.size() - terms.addends;
  return U::with_addends(terms, U::sum(terms, 0, products > 2 ? products - 1 : products));
}

}  // namespace convict::honest::family

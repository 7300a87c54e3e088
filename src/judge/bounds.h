// SPDX-License-Identifier: Apache-2.0
//
// How far a computed sum may be from the exact one. Derivations and sources: docs/bounds.md.
#pragma once

#include <cstdint>
#include <limits>

namespace convict {

/// Half the spacing of T at 1: the largest relative error of one rounding to nearest.
template <class T>
constexpr double unit_roundoff() {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

/// gamma_n = n*u / (1 - n*u): Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
/// Infinite where n*u >= 1, i.e. where nothing is proven.
constexpr double gamma(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) : std::numeric_limits<double>::infinity();
}

/// Bound on |computed - exact| for a sum of `terms` products (a bias counts as one) in any order, with or without
/// fused multiply-add, computed in T; `magnitude` is the sum of |x*w| (+ |bias|). Higham, eq. (3.5), plus one smallest
/// subnormal a term for products that underflow, plus the error of the reference itself, computed in Reference.
template <class T, class Reference>
constexpr double direct_bound(int64_t terms, double magnitude) {
  const double n = static_cast<double>(terms);
  return (gamma(n, unit_roundoff<T>()) + gamma(n, unit_roundoff<Reference>())) * magnitude +
         n * static_cast<double>(std::numeric_limits<T>::denorm_min());
}

}  // namespace convict

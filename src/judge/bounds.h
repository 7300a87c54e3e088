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
#include <algorithm>
#include "abi/convict.h"
namespace convict {
struct Arithmetic {
  double u_product = 0, u_sum = 0, u_out = 0;
  double eta_sum = 0, eta_out = 0;
  convict_summation summation = CONVICT_ANY_ORDER;
  int64_t sum_block = 0;
};
inline Arithmetic arithmetic_of(const convict_contract&, convict_dtype src, convict_dtype wei, convict_dtype dst) {
  Arithmetic a;
  const bool d = src == CONVICT_F64 || wei == CONVICT_F64 || dst == CONVICT_F64;
  a.u_sum = a.u_product = d ? 0x1p-53 : 0x1p-24;
  a.eta_sum = d ? 0x1p-1074 : 0x1p-149;
  if (dst == CONVICT_F16) a.u_out = 0x1p-11, a.eta_out = 0x1p-24;
  if (dst == CONVICT_BF16) a.u_out = 0x1p-8, a.eta_out = 0x1p-133;
  return a;
}
inline double direct_bound(const Arithmetic& a, int64_t products, int64_t extra, double magnitude, double exact,
                           double u_reference) {
  const double n = static_cast<double>(products + 2 * extra);
  const double inner = gamma(n, a.u_sum) * magnitude + n * a.eta_sum;
  return (1 + a.u_out) * inner + a.u_out * (exact < 0 ? -exact : exact) + a.eta_out / 2 +
         gamma(n, u_reference) * magnitude;
}
inline double largest_finite(convict_dtype t) {
  return t == CONVICT_F64    ? 0x1.fffffffffffffp+1023
         : t == CONVICT_F32  ? 0x1.fffffep+127
         : t == CONVICT_BF16 ? 0x1.fep+127
                             : 65504;
}
}  // namespace convict

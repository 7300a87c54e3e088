// SPDX-License-Identifier: Apache-2.0
//
// The smallest error bound that a certificate may honestly state, by formulas of the checker's own: they share nothing
// with judge/bounds.h, which made the bound that is checked.
#pragma once

#include <optional>

#include "abi/convict.h"
#include "core/certificate.h"
#include "judge/element_evaluation.h"

namespace convict::certificate {

/// A floating-point type: significant bits, and the exponent of its smallest subnormal.
struct Precision {
  int digits, least;
  double unit_roundoff() const;  // 2^-digits
};

Precision precision_of(convict_dtype type);

/// gamma_n = n*u / (1 - n*u), infinite for n*u >= 1: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
/// section 3.1.
double gamma_of(double n, double u);

/// `value` rounded to the nearest number of `type`, once.
double nearest(convict_dtype type, long double value);

/// A real number as a result of 8 bits: rounded to the nearest whole one, halves to the even one, `zero` above it, and
/// no further than the type reaches. As it is in other types.
double nearest_quantized(convict_dtype type, long double real, int zero);

/// The types of one direct sum.
struct SumTypes {
  convict_dtype factors[2];   // of its products; a sum without products has f32 and 1 in their place
  convict_dtype accumulator;  // of its partial sums
  convict_dtype output;
  bool has_products;
  int64_t block = 0;  // of a sum of runs; 0: any
  bool flushes_subnormals = false;
  bool subnormal = false;  // one factor of every product is
  MatrixUnit unit = {};    // without bits that hold all factors
};

/// Which kinds of results some order of summation gives: docs/background/bounds.md, *Overflow*.
struct Reachable {
  bool number, infinity, minus_infinity, nan;
};

/// `stated` is the bound that the certificate states, which takes the place of the least one for transforms.
Reachable reachable(Bound bound, const SumTypes& types, const judge::ExactElement& exact, double stated);

/// Half a unit above the largest number of a type: what rounding makes infinite.
long double threshold(convict_dtype type);

/// What a bound is at least, whatever block, tile or order was chosen; nothing for one that does not follow from a sum.
std::optional<double> least_bound(Bound bound, const SumTypes& types, const judge::ExactElement& exact);

/// u * sqrt(n) * S, u the coarser one of accumulator and output: what errors of random roundings are counted in.
double unit_of_error(const SumTypes& types, const judge::ExactElement& exact, int64_t products);

}  // namespace convict::certificate

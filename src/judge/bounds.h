// SPDX-License-Identifier: Apache-2.0
//
// How far a computed sum may be from the exact one. Derivations and sources: docs/background/bounds.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "abi/convict.h"
#include "core/declarations.h"

namespace convict::judge {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Half the spacing of T at 1: the largest relative error of one rounding to nearest.
template <class T>
constexpr double unit_roundoff() {
  return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}
double unit_roundoff(convict_dtype type);

/// The ends of a type's range.
double largest_finite(convict_dtype type);
double smallest_normal(convict_dtype type);

/// Where rounding to nearest begins to give infinity: half a unit above the largest finite number.
double overflow_threshold(convict_dtype type);

/// gamma_n = n*u / (1 - n*u): Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
/// Infinite where n*u >= 1, i.e. where nothing is proven.
constexpr double gamma(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) : std::numeric_limits<double>::infinity();
}

/// What a sum loses on a matrix unit, beside what its additions round.
struct UnitLosses {
  double of_operands = 0;  // relative error of a product, by what is rounded of its operands
  bool truncates = false;  // additions truncate, several terms at once

  bool operator==(const UnitLosses&) const = default;
};

/// How one implementation computes an output of one case, as far as its error bound depends on it.
struct Arithmetic {
  convict_dtype accumulator = CONVICT_F32;
  double u_product = 0;  // unit roundoff of a product before it is added; 0 where products are exact in the accumulator
  double u_sum = 0;      // unit roundoff of the accumulator
  double u_out = 0;      // and of the output type; 0 if that is as wide as the accumulator
  double eta_sum = 0;    // smallest subnormal of the accumulator; its smallest normal if subnormals are flushed
  double eta_out = 0;    // the same of the output type; 0 if that is as wide as the accumulator
  double overflow_sum = kInfinity, overflow_out = kInfinity;  // overflow_threshold() of the accumulator, of the output
  bool flushes_subnormals = false;
  convict_summation summation = CONVICT_ANY_ORDER;
  int64_t sum_block = 0;
  UnitLosses unit = {};

  /// Whether the additions are the same for all values. Else neither bits nor the sizes of partial sums can be
  /// foretold.
  bool fixed_order() const { return summation != CONVICT_ANY_ORDER; }

  /// Whether errors are those of roundings to the accumulator, which may be taken for independent and of mean zero.
  bool rounds_at_random() const { return fixed_order() && unit == UnitLosses(); }

  /// Largest absolute error that one rounding of a tiny result adds to its relative one.
  double underflow(double eta) const { return flushes_subnormals ? eta : eta / 2; }

  bool operator==(const Arithmetic&) const = default;
};

/// The arithmetic of an implementation with this contract, for the types of the two operands given and of the one
/// computed. The accumulator is the narrowest type that holds all of these and contract.min_accumulator; f16 and bf16
/// do not hold each other, together they need f32.
Arithmetic arithmetic_of(const convict_contract& contract, convict_dtype first, convict_dtype second,
                         convict_dtype computed, const MatrixUnit& unit = {});

/// The sums of the absolute values of all terms that are positive, and of those that are not.
struct Parts {
  double positive = 0, negative = 0;
};

/// One output element as the reference knows it.
struct Sum {
  int64_t products = 0;  // those inside the image; where it is known which are exactly zero, only the others
  int64_t window = 0;    // the same, padding included: what a tree or a run of blocks may extend over
  bool bias = false;     // a bias is added
  bool old = false;      // beta * the old contents is added
  double magnitude = 0;  // S, the sum of the absolute values of all these terms
  double exact = 0;      // s
  double subnormal = 0;  // the part of S from terms with a subnormal factor; looked at only if subnormals are flushed
  double unit = 0;       // all terms are whole multiples of it; 0 if no such unit is known

  std::optional<Parts> parts = {};  // where S and s do not tell them

  int64_t terms() const { return products + (bias ? 1 : 0) + (old ? 1 : 0); }
};

/// Whether every partial sum, in any order, is a number of the accumulator: no sum of whole multiples of a unit can be
/// between two of them, or there is one term only.
bool rounds_nothing(const Arithmetic& arithmetic, const Sum& sum);

/// Bound on |computed - s| of a direct implementation with a number as its result; u_reference is the unit roundoff
/// that s was computed with. Infinite where nothing is proven: too many roundings.
double direct_bound(const Arithmetic& arithmetic, const Sum& sum, double u_reference);

/// The part of direct_bound that does not shrink with the unit roundoff: underflow, and what is flushed to zero.
double underflow_bound(const Arithmetic& arithmetic, const Sum& sum);

/// What kinds of results some order of summation gives, in the accumulator or in a wider one.
struct Reach {
  bool number = true;  // within the bound
  bool infinity = false, minus_infinity = false, nan = false;

  bool holds_infinity(bool negative) const { return negative ? minus_infinity : infinity; }
};

/// By the theorem of bounds.md, *Overflow*. `error` bounds that of the sum before the rounding that may overflow.
Reach reach_of(const Arithmetic& arithmetic, const Sum& sum, double error);

/// That error for direct sums.
double error_before_overflow(const Arithmetic& arithmetic, const Sum& sum, double u_reference);

/// Whether some partial sum in some order leaves the accumulator. Then a result that is right need not be a number.
bool may_overflow(const Arithmetic& arithmetic, const Sum& sum);

/// The same as direct_bound for an implementation that may compute the products' sum by a transform; `transform` bounds
/// the error of that (winograd_bounds, fft_bounds). Never less than direct_bound: such an implementation is free to
/// fall back.
double transformed_bound(const Arithmetic& arithmetic, const Sum& sum, double transform, double u_reference);

}  // namespace convict::judge

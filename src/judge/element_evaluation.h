// SPDX-License-Identifier: Apache-2.0
//
// Computes one output element from the definition of the operation, so that other code than the reference can check a
// certificate. For this reason it shares no index arithmetic with abi/trilinear.h and judge/reference.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "abi/convict.h"

namespace convict::judge {

/// The exact value of one output element, and what bounds need to know about it.
struct ExactElement {
  long double sum = 0;    // with a relative error of 2^-64; NaN or an infinity where IEEE arithmetic says so
  long double value = 0;  // the exact result before rounding to the type of dst: the sum after ReLU and zero point
  double magnitude = 0;   // S, the sum of the absolute values of the terms
  double positive = 0, negative = 0;  // its parts from the terms of either sign
  int64_t terms = 0;      // n: products inside the image, plus one for a bias, plus one for beta
  int64_t nonzero = 0;    // of these, such as are not exactly zero: the others round nothing
  bool finite = true;     // all terms are finite; otherwise magnitude and quantum mean nothing
  int quantum = kNone;    // all terms are multiples of 2^quantum

  /// For sums of integers: how far f32 may be from `sum`. 0 if nothing is rounded, infinite if 32 bits may overflow.
  double rounding = 0;

  std::optional<double> right;  // of a requantized sum: the one right result

  static constexpr int kNone = 1 << 20;  // quantum of a sum without a term other than 0

  /// Whether every partial sum, in any order, is exact in a type with `digits` significant bits if its smallest
  /// subnormal is 2^least. Then a direct sum rounds nothing, and is judged by equality.
  bool exact_in(int digits, int least) const;
};

/// How far the reference may be from the exact sum of an element of this type, if it is right: it sums in double, or in
/// long double if tensors are f64, and the result is written down as a double. 0 where that rounds nothing.
double error_of_reference(const ExactElement& exact, convict_dtype output);

/// The element of output `role` of the pass ("dst", "diff_src", "diff_wei", "diff_bias") at the logical coordinates
/// `at`, from the data of `filled`: the inputs and, with beta, the old contents of that output. Any data types and
/// strides. Reads the terms of this element only: O(terms), plus those that fall into padding.
/// Precondition: the problem is legal, `role` is one of its outputs, and `at` lies inside it.
ExactElement evaluate_element(const convict_problem& p, const convict_tensors& filled, std::string_view role,
                              std::span<const int64_t> at);

/// The output with the role `role`; nullptr if the problem has none.
const convict_tensor* output_of(const convict_problem& p, const convict_tensors& t, std::string_view role);

/// Whether an element of the tensor has these coordinates.
bool is_inside(std::span<const int64_t> at, const convict_tensor& tensor);

/// An addend of an element: a product, or one number.
struct Term {
  long double x = 0;
  std::optional<long double> y;
};

/// The terms of the same element, in the order of the definition, without those that fall into padding. For sums of
/// integers the products alone, less their zero point. Preconditions as above.
std::vector<Term> terms_of(const convict_problem& p, const convict_tensors& filled, std::string_view role,
                           std::span<const int64_t> at);

}  // namespace convict::judge

// SPDX-License-Identifier: Apache-2.0
//
// What the results of one implementation are held to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "core/certificate.h"
#include "judge/bounds.h"
#include "judge/expected.h"

namespace convict::judge {

/// The largest term with a subnormal factor: a product, and an addend (a bias, old contents, an element of a gradient).
struct Flushed {
  double product = 0, addend = 0;
  bool operator==(const Flushed&) const = default;
};

/// How one implementation's results are judged: equality, error bound, or IEEE special values.
struct Rule {
  enum class Kind {
    kExact,      // equality with the exact value, rounded once to the type of the output
    kBound,      // an error within the bound of the arithmetic
    kSpecial,    // the same where the exact value is finite; else the same NaN or infinity
    kQuantized,  // of integers: a result of a real number that is off by what f32 may lose
    kTolerance,  // |got - exact| <= absolute + relative * |exact|: what other tools do, for comparison with them
  };
  Kind kind = Kind::kExact;
  Arithmetic arithmetic = {};                 // of the main output
  Arithmetic bias_arithmetic = {};            // of a gradient of the bias, which has a type of its own
  Bound bound = Bound::kEquality;             // of errors; kEquality: none is allowed
  std::vector<double> transform_bounds = {};  // of the main output's elements, where a transform computes the sums
  bool subnormal = false;                     // one factor of every product is subnormal
  Flushed flushed = {};                       // what a term loses if subnormal operands become zero, at most
  unsigned char poison = 0xff;                // every byte of an element that was not written
  double unit = 0;                            // all terms are whole multiples of it; 0 if no such unit is known
  double relative = 0, absolute = 0;

  bool operator==(const Rule&) const = default;

  const Arithmetic& arithmetic_for(const convict_tensor& output) const {
    return output.ndim == 1 ? bias_arithmetic : arithmetic;
  }
  /// A gradient of the bias is a plain sum, whatever computes the main output.
  Bound bound_for(const convict_tensor& output) const {
    return output.ndim == 1 && kind == Kind::kBound ? Bound::kGamma : bound;
  }
};

/// What the reference knows about one element, in the terms of the bounds. Its magnitude has to be there.
template <class W>
Sum sum_of(const Expected<W>& expected, size_t index, int64_t products, const Rule& rule) {
  Sum sum;
  if (!expected.nonzero.empty()) products = expected.nonzero[index];
  sum.products = products;
  sum.unit = rule.unit;
  sum.window = expected.window;
  sum.bias = expected.bias;
  sum.old = expected.old;
  sum.magnitude = static_cast<double>(expected.magnitude[index]);
  sum.exact = static_cast<double>(expected.value[index]);
  if (!expected.parts.empty())
    if (const auto found = expected.parts.find(index); found != expected.parts.end()) sum.parts = found->second;
  const double of_product = expected.tensor->ndim == 1 ? rule.flushed.addend : rule.flushed.product;
  const double flushed =
      static_cast<double>(products) * of_product + static_cast<double>(sum.terms() - products) * rule.flushed.addend;
  sum.subnormal = rule.subnormal ? sum.magnitude : std::min(sum.magnitude, flushed);
  return sum;
}

/// What a rule of bounds allows of an output, element by element.
struct Allowance {
  std::vector<double> bound;  // of |got - exact|; what a ReLU leaves of it. Unused where the exact sum is not finite
  std::vector<double> unit;   // u * sqrt(n) * S, in which the errors of plain sums are measured; infinite for others

  // Of all elements with products and a finite sum that no ReLU cuts off:
  int64_t with_terms = 0, blind = 0;     // how many; those with a bound that hides a typical lost product
  std::optional<double> smallest_fault;  // as in Comparison
};

/// Every element needs its magnitude in `expected`.
template <class W>
Allowance allowance_of(const Expected<W>& expected, const Rule& rule);

/// The allowances of the outputs of one call, as they are asked for. Implementations that compute alike are held to the
/// same numbers, which are worked out once a case.
template <class W>
class Allowances {
 public:
  /// The outputs have to outlive this object, and to stay as they are.
  explicit Allowances(std::span<const Expected<W>> outputs) : outputs_(outputs) {}

  std::span<const Expected<W>> outputs() const { return outputs_; }

  /// Valid until the next call. `output`: one of outputs().
  const Allowance& of(const Expected<W>& output, const Rule& rule);

 private:
  struct Kept {
    const Expected<W>* output;
    Arithmetic arithmetic;
    bool subnormal;
    Flushed flushed;
    double unit;
    Allowance allowance;
  };

  std::span<const Expected<W>> outputs_;
  std::list<Kept> kept_;
  Allowance latest_;  // by a transform: its bounds are an implementation's own
};

}  // namespace convict::judge

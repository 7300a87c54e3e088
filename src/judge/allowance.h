// SPDX-License-Identifier: Apache-2.0
//
// What a rule of bounds allows of an output, element by element. Implementations that compute alike are held to the
// same numbers, which are worked out once a case.
#pragma once

#include <list>
#include <optional>
#include <span>
#include <vector>

#include "judge/expected.h"
#include "judge/rule.h"

namespace convict::judge {

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

/// The allowances of the outputs of one call, as they are asked for.
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

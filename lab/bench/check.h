// SPDX-License-Identifier: Apache-2.0
//
// Checks results before their times count. The exact reference of every element would take longer than the measurement,
// so results are compared loosely with each other; sampled and disputed elements are compared with exact values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/role.h"

namespace convict::bench {

/// `who` computed a wrong result; `reason` names an element.
struct WrongResult {
  std::string who, reason;
};

class Check {
 public:
  /// `tensors` holds the inputs and outputs of `p`. Precondition: both outlive this object.
  Check(const convict_problem& p, const convict_tensors& tensors) : p_(p), tensors_(tensors) {}

  /// Checks the outputs that `who` has written. If they disagree with an earlier result, that one may be the wrong one:
  /// it is then returned, and the next results are compared with these outputs.
  std::optional<WrongResult> compare(const std::string& who);

 private:
  struct Output {
    std::vector<double> elements;  // in logical row-major order
    double largest = 0;            // magnitude
  };

  Output read(const Role& role) const;
  std::optional<std::string> fault_at(const Role& role, const Output& output, size_t index) const;
  std::optional<std::string> sampled_fault(const Role& role, const Output& output) const;
  size_t largest_difference(const Role& role, const Output& output) const;

  const convict_problem& p_;
  const convict_tensors& tensors_;
  std::string believed_who_;
  std::map<std::string_view, Output> believed_;  // by role; empty before the first result that passed its samples
};

}  // namespace convict::bench

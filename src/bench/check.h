// SPDX-License-Identifier: Apache-2.0
//
// A wrong result is not worth timing. An exact reference of every element would take longer than the measurement, so
// results are compared with each other, loosely, and elements by sample and in dispute with exact values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/convict.h"
#include "core/role.h"

namespace convict::bench {

/// Somebody's result that is wrong; the reason tells an element.
struct WrongResult {
  std::string who, reason;
};

class Check {
 public:
  /// Of results of this problem, whose inputs and outputs are in `tensors`. Both outlive this.
  Check(const convict_problem& p, const convict_tensors& tensors) : p_(p), tensors_(tensors) {}

  /// Looks at the outputs as `who` has left them. The wrong result may be an earlier one's, with which this one does
  /// not agree; then this is what the next ones are compared with.
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

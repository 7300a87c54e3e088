// SPDX-License-Identifier: Apache-2.0
//
// What a user narrows a campaign down to: "conv2d.forward g=1 dt=f32 k<=7". The words are those of predicates
// (core/predicate.h); but a condition on axes is meant for all of them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/predicate.h"

namespace convict::inline core {

class Where {
 public:
  /// Operations ("conv", "conv2d", "conv_transpose1d.backward_data") and conditions ("s >= 2", "oc%8=0"), separated by
  /// blanks, commas or "and". `dt`, `lay`, `p` and `view` stand for all their parts. "" holds always. Throws
  /// UsageError.
  static Where parse(std::string_view text);

  /// For the case and each of its earlier problems, of which an implementation is asked, too.
  bool holds(const Case& c) const;

 private:
  bool selects(const Case& c) const;
  void add_operation(std::string_view word);
  void add_condition(std::string_view name, std::string_view rest);

  std::optional<convict_op> op_;
  std::optional<int> rank_;
  std::optional<convict_pass> pass_;
  std::vector<Condition> conditions_;
};

}  // namespace convict::inline core

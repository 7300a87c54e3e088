// SPDX-License-Identifier: Apache-2.0
//
// What a user narrows a campaign down to: "conv2d.forward g=1 dt=u8:s8:u8 k<=7". The words are those of predicates
// (core/predicate.h) and those of case lines; but a condition on axes is meant for all of them.
#pragma once

#include <string_view>

#include "core/predicate.h"

namespace convict::inline core {

class Where {
 public:
  /// Operations ("conv", "conv2d", "conv_transpose1d.backward_data"), conditions ("s >= 2", "oc%8=0") and what a case
  /// line may say ("k=3x5", "requant=double", "bias"), separated by blanks, commas or "and". `dt`, `lay`, `p` and
  /// `view` stand for all their parts. "" holds always. Throws UsageError, also if no case can be like that.
  static Where parse(std::string_view text);

  /// For the case and each of its earlier problems, of which an implementation is asked, too.
  bool holds(const Case& c) const;

  /// What a single problem has to meet. No condition of it means some axis.
  const Predicate& predicate() const { return predicate_; }

 private:
  void add_operation(std::string_view word);
  void add_condition(std::string_view name, std::string_view sign, std::string_view value);
  void add_field_value(std::string_view name, std::string_view value);
  void add(std::string_view condition);

  Predicate predicate_;
};

}  // namespace convict::inline core

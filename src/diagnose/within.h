// SPDX-License-Identifier: Apache-2.0
//
// --where, while a mismatch is shrunk and explained: what the user did not ask about may have other faults.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/where.h"

namespace convict::diagnose {

class Within {
 public:
  /// Whatever `where` says if `start`, the case to begin with, is not within it: an earlier campaign found it.
  Within(const std::string& where, const Case& start);

  bool holds(const Case& c) const { return where_.holds(c); }

  /// Called for a case that is not within. Asks `is_computed` of some of them, to learn what the suspect takes beyond
  /// single conditions.
  void look_beyond(const Case& c, const std::function<bool(const Case&)>& is_computed);

  /// The conditions beyond which the suspect computes. A condition that was learnt within says nothing of the cases
  /// there, so that it has to have these, too.
  Predicate limits() const;

 private:
  struct Limit {
    Condition condition;
    int tries = 0;  // of cases for which it alone does not hold
    bool is_crossed = false;
  };

  Where where_;
  std::vector<Limit> limits_;
};

}  // namespace convict::diagnose

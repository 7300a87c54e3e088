// SPDX-License-Identifier: Apache-2.0
//
// How near the cases of a campaign come to a fault: the chance that one of them meets its conditions on the problem,
// and which of these is in the way. Conditions on data, history and calls are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/faults/fault.h"

namespace convict::score {

class Nearness {
 public:
  explicit Nearness(const faults::Fault& fault);

  /// Looks at one case; `seen` is seen_case() of it.
  void look(const Case& seen, const convict_problem& p);

  /// The chance that a case meets all conditions. If none did, it follows from those that missed one, as if that did
  /// not depend on the others.
  double chance() const;

  /// The condition that the fewest cases meet, and their share. Empty if there are no conditions on problems.
  struct Rarest {
    std::string text;
    double share = 0;
  };
  Rarest rarest() const;

 private:
  /// One condition.
  struct ConditionCount {
    faults::Fault alone;
    uint64_t met = 0, all_others = 0;  // cases that meet it, and that meet all others
  };
  std::vector<ConditionCount> parts_;
  uint64_t cases_ = 0, met_ = 0;
};

}  // namespace convict::score

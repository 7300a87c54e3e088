// SPDX-License-Identifier: Apache-2.0
//
// Refused cases by the reason. A function that refuses tests its conditions in some order, so what is refused for a
// rare reason has come far, and is a good place to look for what is accepted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "generate/domain.h"

namespace convict::generate {

/// Why a case is refused.
struct Refusal {
  std::string reason;
  bool by_target = true;  // false: on its behalf, for what it has not promised
};

class Niches {
 public:
  /// `drawn`: the case aimed at nothing, so that it counts.
  void add(const Refusal& refusal, const Recipe& recipe, bool drawn, Random& random);

  /// Whether the target has more than one reason; a single one tells nothing of how far a case has come.
  bool are_telling() const;
  /// Of some reasons, a case of the one that was seen least. Precondition: there is a reason.
  const Recipe& rare(Random& random);
  bool empty() const { return niches_.empty(); }
  /// The rarest reason; and the commonest, if it is another: a condition that nothing meets may be the last one.
  std::string deepest() const;

 private:
  struct Niche {
    uint64_t drawn = 0;     // of cases that aimed at nothing
    uint64_t explored = 0;  // times that a case of it was walked from
    Refusal example;        // with its numbers
    std::vector<Recipe> recipes;
  };
  std::map<std::string, Niche> niches_;
};

}  // namespace convict::generate

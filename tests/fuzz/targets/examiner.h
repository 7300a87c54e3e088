// SPDX-License-Identifier: Apache-2.0
//
// Examines cases in the calling process, for standalone fuzzers. A crash ends the process, as such an engine expects.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "examine/pipeline.h"

namespace convict::fuzz {

class Examiner {
 public:
  /// One case may take a gigabyte; repair.h keeps them far below.
  explicit Examiner(std::vector<run::Subject> subjects) : local_{std::move(subjects)} {}

  /// Examines the case with its relations, and sets its counters (guidance.h). Prints a mismatch of a target and ends
  /// the process by abort(), which the engine takes as a finding. Prints a mismatch of an oracle once per signature.
  void examine(const Case& c);

 private:
  void report(const Mismatch& mismatch);

  examine::LocalExaminer local_;
  std::set<std::string> reported_;  // signatures of oracles
};

}  // namespace convict::fuzz

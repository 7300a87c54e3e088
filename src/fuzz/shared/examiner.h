// SPDX-License-Identifier: Apache-2.0
//
// Examines cases in this very process, for standalone fuzzers: nothing here survives a crash, and nothing has to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "examine/pipeline.h"

namespace convict::fuzz {

class Examiner {
 public:
  explicit Examiner(std::vector<run::Subject> subjects) : subjects_(std::move(subjects)) {}

  /// Examines the case, relations included, and marks what it showed (guidance.h). A mismatch of a target is printed
  /// and ends the process by abort(), which is how an engine learns of it; one of an oracle is printed once a
  /// signature.
  void examine(const Case& c);

 private:
  void report(const Mismatch& mismatch);

  std::vector<run::Subject> subjects_;
  run::GuardedMemory memory_;
  run::FlightRecord record_;
  std::set<std::string> reported_;  // signatures of oracles
};

}  // namespace convict::fuzz

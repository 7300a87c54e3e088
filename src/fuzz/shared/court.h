// SPDX-License-Identifier: Apache-2.0
//
// Examines cases in this very process, for standalone fuzzers: nothing here survives a crash, and nothing has to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pipeline.h"

namespace convict {

class Court {
 public:
  explicit Court(std::vector<Subject> subjects) : subjects_(std::move(subjects)) {}

  /// Examines the case, relations included, and marks what it showed (guidance.h). A mismatch of a target is printed
  /// and ends the process by abort(), which is how an engine learns of it; one of an oracle is printed once a
  /// signature.
  void hear(const Case& c);

 private:
  void report(const Mismatch& mismatch);

  std::vector<Subject> subjects_;
  GuardedMemory memory_;
  FlightRecord record_;
  std::set<std::string> reported_;  // signatures of oracles
};

}  // namespace convict

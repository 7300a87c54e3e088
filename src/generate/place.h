// SPDX-License-Identifier: Apache-2.0
//
// The case of a place in a campaign, found by asking the target that the place is for. A target that takes half of the
// profile or more is asked about one draw after the other, until it takes one; for any other, a walk finds the case.
#pragma once

#include <cstdint>
#include <optional>

#include "core/case.h"
#include "generate/generate.h"
#include "generate/walk.h"

namespace convict::generate {

inline constexpr uint32_t kMostDraws = 500;  // for one place; a draw and a question take some microseconds

class Place {
 public:
  /// Borrows the sampling.
  Place(const Sampling& sampling, uint64_t index);

  /// Whether the case has been found, or given up.
  bool is_decided() const { return decided_; }
  /// The case that its target is to be asked about next. Precondition: not decided.
  const Case& asks() const { return walk_ ? walk_->asks() : case_; }
  void answer(bool accepted);

  /// Precondition: decided.
  const Case& found() const { return case_; }
  /// The roster position of the target that the case is for; -1 if it is for none.
  int target() const { return target_; }
  /// What generate() needs to find the same case without asking.
  uint32_t answers() const { return answers_; }
  /// The same for the case that its target is asked about.
  uint32_t asking() const { return walk_ ? answers_ | kAsked << walk_->step() : answers_; }

 private:
  void decide(const Case& c) { case_ = c, decided_ = true; }

  const Sampling& sampling_;
  const uint64_t index_;
  int target_ = -1;
  std::optional<Walk> walk_;
  uint32_t answers_ = 0;
  bool decided_ = false;
  Case case_;
};

}  // namespace convict::generate

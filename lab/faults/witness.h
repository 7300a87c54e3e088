// SPDX-License-Identifier: Apache-2.0
//
// The problem, the values and the call before on which a random fault shows. They are drawn here and not by the
// generator, so that a generator cannot be good at finding them because it made them.
#pragma once

#include <optional>
#include <vector>

#include "abi/convict.h"
#include "core/case.h"
#include "core/random.h"

namespace convict::faults {

/// What the values of the second factor look like.
enum class Pattern { kPlain, kZeroRows, kTwoOfFour, kSpecials, kOneSigned, kLarge };

struct Witness {
  Case c;                      // its fill and its seed mean nothing here
  std::optional<Case> before;  // another problem that is computed first
  Pattern pattern = Pattern::kPlain;
  uint64_t data_seed = 0;
};

/// A legal problem of at most a million multiply-adds. Its budget goes to a random subset of its sizes, so that any
/// size may be large while others are 1.
Witness draw_witness(Random& random);

/// The operands of one problem with the values of a pattern, in memory of their own.
class WitnessMemory {
 public:
  WitnessMemory(const Case& c, Pattern pattern, uint64_t data_seed);
  WitnessMemory(const WitnessMemory&) = delete;
  WitnessMemory& operator=(const WitnessMemory&) = delete;

  const convict_problem& problem() const { return problem_; }
  const convict_tensors& tensors() const { return tensors_; }

  /// The values of the main output, in logical order.
  std::vector<double> results() const;
  /// Fills the outputs as they were before any call.
  void reset_outputs();

 private:
  convict_problem problem_;
  convict_tensors tensors_;
  std::vector<std::vector<double>> buffers_;  // of doubles, for their alignment
};

}  // namespace convict::faults

// SPDX-License-Identifier: Apache-2.0
//
// What a narrow kernel takes: a conjunction of three to nine conditions, made up at random around a layer that meets
// them all. That layer, its witness, proves that there are problems inside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/case.h"
#include "lab/faults/fault.h"
#include "tests/narrow/condition.h"

namespace convict::narrow {

/// What a kernel says to a problem that it refuses: which condition was not met, always the same, or what kind of
/// condition it was. Of four kernels, two say the first.
enum class Reasons { kCondition, kConstant, kCategory };

struct Domain {
  uint64_t number = 0;
  std::vector<Condition> conditions;  // in the order in which the kernel checks them
  Reasons reasons = Reasons::kCondition;
  bool accumulates = false, fuses_relu = false, requantizes = false;
  double share = 1;     // of the cases of `all`, roughly
  Case witness;         // inside
  Condition fault;      // when the twin with a fault goes wrong, inside
  Case fault_witness;   // inside, and meets it
  faults::Effect effect = faults::Effect::kChannelLost;  // in every output: an input channel or the last tap is missing
  double fault_share = 0;  // of the variations of the witness inside that meet it

  std::string name() const;  // "narrow-007"
  std::string text() const;  // "f32:f32:f32 and rank = 2 and ..."

  /// The first condition that the problem does not meet; nullptr if it meets all.
  const Condition* unmet(const Seen& seen) const;

  /// Whether a campaign would judge the kernel on a case.
  bool accepts(const Case& c) const;
};

/// Domain `number` of a seed, from 1: a pure function. Forty in a row have shares of `all` from about 10^-2 to 10^-7.
Domain draw_domain(uint64_t seed, uint64_t number);

}  // namespace convict::narrow

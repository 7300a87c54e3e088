// SPDX-License-Identifier: Apache-2.0
//
// Whether an implementation computes a problem: what it says, and what is refused on its behalf.
#pragma once

#include <optional>
#include <string>

#include "examine/scene.h"
#include "run/flight_record.h"

namespace convict::examine {

/// Why an implementation is not even asked, by what it says of all problems.
std::optional<std::string> why_not_asked(const Scene& scene, const convict_contract& contract,
                                         const convict_abilities& abilities);

/// What one implementation says of a problem.
struct Acceptance {
  std::optional<std::string> reason;         // why it refuses, or why it is not even asked
  std::optional<convict_contract> contract;  // of a legal problem that it accepts, or would
  std::string side_effect;
  bool was_asked = false;
};

/// Refuses on its behalf (why_not_asked()), or asks `unsupported`, and then for the contract if the problem is `legal`.
/// `position`: of `who` in the roster.
Acceptance answer_of(const Scene& scene, bool legal, const convict_implementation& who,
                     const convict_abilities& abilities, bool is_target, int position, run::FlightRecord& record);

}  // namespace convict::examine

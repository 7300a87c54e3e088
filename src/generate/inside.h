// SPDX-License-Identifier: Apache-2.0
//
// Whether there is a case that meets some conditions. Two that each hold somewhere may contradict each other, as k = 1
// and window >= 2 do; such a campaign would judge nothing.
#pragma once

#include <optional>
#include <span>

#include "core/case.h"
#include "core/predicate.h"
#include "core/where.h"

namespace convict::generate {

/// A legal case that meets all conditions; nothing if some ten thousand cases do not. Looks among what the generator
/// draws, and then changes the best ones step by step to meet more conditions.
std::optional<Case> case_inside(const Predicate& wanted);

/// A case inside, if some thousand draws have none, so that a campaign needs it as an example; nothing if one of these
/// examples is inside, or what was found is too large for a campaign. Throws UsageError if there seems to be none, which
/// names conditions that contradict each other.
std::optional<Case> lead_inside(const Where& where, std::span<const Case> examples);

}  // namespace convict::generate

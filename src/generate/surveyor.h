// SPDX-License-Identifier: Apache-2.0
//
// Finds out what a target takes, by asking it before the campaign.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/case.h"
#include "generate/niches.h"
#include "generate/profile.h"
#include "generate/survey.h"

namespace convict::generate {

/// Whether less than this part of the time for a survey is over.
using HasTime = std::function<bool(double part)>;

/// For each case, why it is refused; nothing if the target computes it.
using Ask = std::function<std::vector<std::optional<Refusal>>(std::span<const Case>)>;

/// What a target is asked.
struct Questionnaire {
  const Profile* profile = nullptr;  // nullptr is `all`
  uint64_t seed = 1;
  // For a long campaign: aims at pairs, too, and looks for many starts. Without, all pairs of levels that were accepted
  // count as accepted.
  bool pairs = true;
  std::vector<Case> examples = {};  // that it may take
};

/// Draws cases of the profile. Of a target that takes less than half of them, it looks for accepted ones in the
/// examples, in further cases, and near those that were refused for rare reasons, and walks from what it has found
/// until the walks are distributed as the profile is inside the domain. Then it aims at each level and each pair of
/// levels that no accepted case has shown, with walks: a level is called never accepted after kTriesOfLevel refusals, a
/// pair after kTriesOfPair. It asks while there is time; each of its works has a part of that.
Survey survey(const Questionnaire& questionnaire, const Ask& ask, const HasTime& has_time);

inline constexpr int kTriesOfLevel = 48, kTriesOfPair = 24;

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
//
// Finds out what a target takes, by asking it about some thousands of cases before the campaign.
#pragma once

#include <cstdint>
#include <functional>

#include "generate/domain.h"
#include "generate/profile.h"

namespace convict::generate {

/// Whether the target computes a case.
using Accepts = std::function<bool(const Case&)>;

/// kPairs asks some thousands of questions more. That pays for targets whose cases take milliseconds; faster ones show
/// rare pairs by chance in that time.
enum class SurveyDepth { kLevels, kPairs };

/// First asks about cases of the whole profile. Then every level that none of the taken cases has is tried on its own:
/// in cases that are otherwise like the taken ones. What is refused each time is left out of the domain, which is kept
/// only if its cases are taken more often. With kPairs the same is done for pairs of levels in the end. A level is
/// never left out on less than kTriesOfLevel refusals, and a pair on less than kTriesOfPair. A pair is rare if it had
/// to be tried; who takes most cases has none of these, for its many cases show them. `profile` nullptr is `all`. Once
/// go_on() is false, nothing is left out any more.
Survey survey(const Profile* profile, uint64_t seed, SurveyDepth depth, const Accepts& accepts,
              const std::function<bool()>& go_on);

/// Of one level, in cases like those that are taken.
inline constexpr int kTriesOfLevel = 40;

/// Of two levels: half of the cases are like taken ones that have the one or the other of them.
inline constexpr int kTriesOfPair = 24;

}  // namespace convict::generate

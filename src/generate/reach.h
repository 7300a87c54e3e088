// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/coverage.h"
#include "generate/generate.h"
#include "generate/profile.h"

namespace convict::generate {

/// One flag per tuple (core/coverage.h): whether cases of the profile can show it. The search draws `plain` cases, then
/// up to `tries` cases for each tuple that no case has shown so far, if its pairs can be shown; every case counts
/// for all its tuples. A set flag is proven by a case. A clear flag means that the generator fails at the tuple,
/// usually because its levels exclude each other. Takes half a second. `profile` nullptr is `all`; samplers without
/// wishes draw the plain cases only.
std::vector<bool> reachable(const Profile* profile, int tries = 24, uint64_t plain = 50'000);

/// Those of `ids` that a case shows after at most two draws for each, in the order given. A focus consists of these,
/// because a wish that cannot be met wastes a case. Stops at `most` of them, and after asking for 40,000: a second at
/// worst. Empty for samplers without wishes.
std::vector<uint32_t> within_reach(const Profile* profile, std::span<const uint32_t> ids, size_t most);

/// What the next campaign of the profile aims at: tuples in the domain of some share that the profile can show and has
/// not shown, those of two features first; none if that is nothing to aim at. No shares: in any domain.
std::vector<uint32_t> focus_for(const Profile* profile, const Coverage& coverage, std::span<const Share> shares);

}  // namespace convict::generate

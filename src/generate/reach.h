// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generate/profile.h"

namespace convict::generate {

/// One flag per tuple (core/coverage.h): whether the cases of the profile can show it. Found by construction: a tuple
/// is reachable if one of the first `plain` cases shows it, or a case drawn for some tuple does, each tuple nobody has
/// shown so far being asked for `tries` times. So a flag that is set is proven by a case, and one that is not set says
/// that the generator fails at it, usually because the levels exclude each other. Takes seconds. `profile` nullptr is
/// `all`; samplers without wishes only have the plain cases.
std::vector<bool> reachable(const Profile* profile, int tries = 12, uint64_t plain = 50'000);

/// Those of `ids` that two draws each can show, in their order: what a focus is made of, because a wish that cannot
/// come true costs a case. Stops at `most`, and after asking for 40,000, so that it takes a second at worst. None of
/// samplers without wishes.
std::vector<uint32_t> within_reach(const Profile* profile, std::span<const uint32_t> ids, size_t most);

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/case.h"
#include "core/coverage.h"
#include "generate/profile.h"
#include "generate/sampling.h"

namespace convict::generate {

/// Case number `index` of a campaign: a pure function. Legal by construction: it draws the output side, and the input
/// extents follow. Every second case (odd index) aims at a tuple of levels, its wish. A share of the cases is illegal
/// on purpose, each in one way: resolve(c).why_not names it. `answers`: of the target that the case is for
/// (Place::answers); 0: it was not asked.
Case generate(const Sampling& sampling, uint64_t index, uint32_t answers = 0);

/// generate() without a focus.
Case generate(const Profile* profile, uint64_t seed, uint64_t index);

/// A legal case, which shows the wish if a few draws find it. Precondition: `profile` is a kSteered one of profiles().
Case generate_wished(const Profile& profile, const Tuple& wish, uint64_t seed, uint64_t index);

/// An illegal case as generate() makes them: it can be parsed, and resolve(c).why_not is set.
Case generate_invalid(const Profile* profile, uint64_t seed, uint64_t index);

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/case.h"
#include "core/coverage.h"
#include "generate/domain.h"
#include "generate/profile.h"

namespace convict::generate {

/// The cases of a campaign that are drawn in the domain of one target.
struct Share {
  int target = 0;  // its roster position
  int parts = 1;   // of the sum of all shares
  Domain domain = {};
};

/// The parameters of sampling. A case depends on all of them, so the campaign records them.
struct Sampling {
  const Profile* profile = nullptr;  // nullptr is `all`
  uint64_t seed = 1;
  std::span<const uint32_t> focus =
      {};  // tuples (core/coverage.h) to aim at; empty: all of them, in an order of the seed
  std::span<const Share> shares = {};  // empty: no case is for any target
  double illegal = 0;                  // share of cases; a profile may have more
};

/// No case before this one aims at a rare pair of a domain.
inline constexpr uint64_t kIndicesBeforeRarePairs = 200;

/// Whose case this is; nullptr without shares.
const Share* share_of(const Sampling& sampling, uint64_t index);

/// Case number `index` of a campaign: a pure function. Legal by construction: it draws the output side, and the input
/// extents follow. Every second case (odd index) aims at a tuple of levels, its wish. A share of the cases is illegal
/// on purpose, each in one way: resolve(c).why_not names it. `draw`: another case for the same place, if its target
/// refuses those before.
Case generate(const Sampling& sampling, uint64_t index, uint32_t draw = 0);

/// A legal case that follows the plan as far as it can. Precondition: `profile` is a kSteered one of profiles().
Case generate_planned(const Profile& profile, const Plan& plan, uint64_t seed, uint64_t index);

/// generate() without a focus.
Case generate(const Profile* profile, uint64_t seed, uint64_t index);

/// A legal case, which shows the wish if a few draws find it. Precondition: `profile` is a kSteered one of profiles().
Case generate_wished(const Profile& profile, const Tuple& wish, uint64_t seed, uint64_t index);

/// An illegal case as generate() makes them: it can be parsed, and resolve(c).why_not is set.
Case generate_invalid(const Profile* profile, uint64_t seed, uint64_t index);

}  // namespace convict::generate

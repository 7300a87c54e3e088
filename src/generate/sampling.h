// SPDX-License-Identifier: Apache-2.0
//
// The parameters of a campaign's cases, and what follows from them for a place: for which target its case is drawn,
// whether it is illegal, and which wish it has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/coverage.h"
#include "core/random.h"
#include "generate/domain.h"
#include "generate/profile.h"

namespace convict::generate {

/// The cases of a campaign that are drawn in the domain of one target.
struct Share {
  int target = 0;  // its roster position
  int parts = 1;   // of the sum of all shares
  Domain domain = {};
  bool operator==(const Share&) const = default;
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

/// The share that the case is drawn for; nullptr without shares.
const Share* share_of(const Sampling& sampling, uint64_t index);

/// What the stream of a place decides first.
struct Opening {
  Random random;
  Profile profile;
  bool is_illegal;
};
/// `seed`: of the sampling, or of another draw for the place.
Opening open(const Sampling& sampling, uint64_t seed, uint64_t index);

/// The next wish within the domain that does not change the number of threads of the block; none if some tries do not
/// find it.
std::optional<Tuple> wish_for(const Sampling& sampling, const Domain& domain, int64_t threads, uint64_t number);

/// How many wishes a share has had before this place; every second index has one. Precondition: it is one of those of
/// the sampling.
uint64_t wish_number(const Sampling& sampling, const Share& share, uint64_t index);

}  // namespace convict::generate

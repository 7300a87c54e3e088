// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/case.h"
#include "core/coverage.h"
#include "generate/profile.h"

namespace convict::generate {

/// What a campaign draws its cases from; recorded with it, because a case depends on all of it.
struct Sampling {
  const Profile* profile = nullptr;  // nullptr is `all`
  uint64_t seed = 1;
  std::span<const uint32_t> focus =
      {};  // tuples (core/coverage.h) to aim at; empty: all of them, in an order of the seed
};

/// Case number `index` of a campaign: a pure function. Constructed rather than tried: values are drawn for the output
/// side, and the input extents follow from them. Every second case (odd index) aims at a tuple of levels, its wish.
/// A share of the cases is illegal on purpose, in one way each: resolve(c).why_not says so.
Case generate(const Sampling& sampling, uint64_t index);

/// The same without a focus.
Case generate(const Profile* profile, uint64_t seed, uint64_t index);

/// A legal case that shows the wish if a few draws find one; `profile` is one of profiles() whose sampler is kSteered.
Case generate_wished(const Profile& profile, const Tuple& wish, uint64_t seed, uint64_t index);

/// A case as generate() makes them illegal: parseable, and resolve(c).why_not is set.
Case generate_invalid(const Profile* profile, uint64_t seed, uint64_t index);

}  // namespace convict::generate

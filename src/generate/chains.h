// SPDX-License-Identifier: Apache-2.0
//
// Chains that walk side by side inside a domain, until they are distributed as the profile is there: where the walks
// of a campaign begin (walk.h).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "generate/domain.h"

namespace convict::generate {

/// How the chains ask the target.
struct Inside {
  /// For each recipe, whether the target takes its case.
  std::function<std::vector<bool>(std::span<const Recipe>)> ask;
  std::function<Case(const Recipe&)> made;
  std::function<bool()> go_on;
  size_t examples = 0;  // that recipes may keep parts of
};

struct Mixed {
  Moves moves;
  std::vector<Recipe> starts;
};

inline constexpr size_t kStarts = 512;

/// From accepted recipes, which may be a few that resemble each other; `independent`: the first of them, kStarts or
/// all, are distributed as the profile is inside. Precondition: there is one.
Mixed mix_chains(std::span<const Recipe> accepted, bool independent, Random& random, const Inside& inside);

/// A recipe that nothing is decided of.
Recipe fresh_recipe(Random& random);

}  // namespace convict::generate

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

/// What the chains have come to: the moves that they learnt, and accepted recipes, distributed as the profile is
/// inside.
struct Mixed {
  Moves moves;
  std::vector<Recipe> starts;
};

inline constexpr size_t kStarts = 512;  // of a survey; more would make a database larger

/// The chains begin with these accepted recipes, which may resemble each other. `independent`: the first kStarts of
/// them, or all if they are fewer, are independent draws. Precondition: `accepted` is not empty.
Mixed mix_chains(std::span<const Recipe> accepted, bool independent, Random& random, const Inside& inside);

/// Independent words for all steps.
Recipe fresh_recipe(Random& random);

}  // namespace convict::generate

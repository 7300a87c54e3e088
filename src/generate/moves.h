// SPDX-License-Identifier: Apache-2.0
//
// The moves of a walk inside a domain (walk.h): which steps of a draw are drawn again together. What a target ties
// together differs from target to target, so a survey tries moves, and a walk then spends its questions where they are
// needed: a move that is accepted one time in forty is tried forty times as often as one that always is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "generate/domain.h"

namespace convict::generate {

/// How many questions are asked at once, for targets that answer many at the price of one.
inline constexpr size_t kQuestionsAtOnce = 64;

/// Draws some steps of a recipe again: all loose ones that chance takes, and those of a tied move; without `moves`,
/// mostly one to three steps, sometimes all that belong together, or half of them. Whatever the state, each step is
/// drawn from the same distribution, so the way back is as likely. If there are examples, one in kKeptShare of these
/// steps takes what an example has.
Recipe neighbour(const Recipe& recipe, Random& random, const Moves& moves, size_t examples);
inline constexpr double kKeptShare = 1.0 / 8;

/// From a recipe to another one: what became of it, by the target.
enum class MoveOutcome : uint8_t { kRefused, kSame, kChanged };  // kSame: the case is what it was
using Try = std::function<std::vector<MoveOutcome>(std::span<const std::pair<Recipe, Recipe>>)>;

/// Tries the moves from accepted recipes. A step is loose if hardly any draw of it alone is refused; steps that are
/// accepted together clearly more often than each alone would let expect are a move. To try `all` pairs of steps takes
/// some ten thousand questions, which pays for chains; without, a few thousand.
Moves learn_moves(std::span<const Recipe> accepted, bool all, Random& random, size_t examples, const Try& attempt);

/// How the chains ask the target.
struct Inside {
  /// For each recipe, whether the target takes its case.
  std::function<std::vector<bool>(std::span<const Recipe>)> ask;
  std::function<Case(const Recipe&)> made;
  std::function<bool()> go_on;
  size_t examples = 0;  // that recipes may keep parts of
};

/// What chains have come to that walk side by side inside a domain, until they are distributed as the profile is there:
/// the moves that they learnt, and accepted recipes. The walks of a campaign begin there (walk.h).
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

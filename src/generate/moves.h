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

}  // namespace convict::generate

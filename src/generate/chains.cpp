// SPDX-License-Identifier: Apache-2.0
#include "generate/chains.h"

#include <algorithm>
#include <utility>

#include "generate/moves.h"

namespace convict::generate {
namespace {

constexpr size_t kChains = 64;
// Rounds of questions, one to each chain. A chain has as many as its moves have tries in all, times kRoundsForATry.
constexpr int64_t kRoundsForATry = 8, kFewestRounds = 64, kMostRounds = 2800;
// A fourth of these rounds comes first, so that the moves can be learnt again from cases that are less alike. An eighth
// comes between two snapshots.
constexpr int64_t kBefore = 4, kBetween = 8;
constexpr double kAnew = 0.02;  // share of moves to an independent draw, which may be in any part of the domain

class Chains {
 public:
  Chains(std::span<const Recipe> accepted, Random& random, const Inside& inside)
      : random_(random), inside_(inside), at_(kChains) {
    for (size_t i = 0; i < kChains; ++i) at_[i] = i < accepted.size() ? accepted[i] : random.pick(accepted);
  }

  /// `independent`: the chains are distributed as they should be from the begin.
  Mixed mixed(std::span<const Recipe> accepted, bool independent) && {
    learn(accepted, /*all=*/!independent);
    if (!independent) {
      walk(rounds() / kBefore);
      learn(at_, /*all=*/true);
      walk(rounds());
    }
    const bool are_enough = independent && accepted.size() >= kStarts;
    std::vector<Recipe> starts = at_;
    if (are_enough) starts.assign(accepted.begin(), accepted.begin() + kStarts);
    while (starts.size() < kStarts) {
      walk(rounds() / kBetween);
      starts.insert(starts.end(), at_.begin(), at_.end());
    }
    return {std::move(moves_), std::move(starts)};
  }

 private:
  int64_t rounds() const { return std::clamp(kRoundsForATry * moves_.tries(), kFewestRounds, kMostRounds); }

  void learn(std::span<const Recipe> accepted, bool all) {
    const auto attempt = [&](std::span<const std::pair<Recipe, Recipe>> tries) {
      if (!inside_.go_on()) return std::vector<MoveOutcome>(tries.size(), MoveOutcome::kRefused);
      std::vector<Recipe> asked;
      for (const auto& one : tries) asked.push_back(one.second);
      const std::vector<bool> answers = inside_.ask(asked);
      std::vector<MoveOutcome> outcomes;
      for (size_t i = 0; i < tries.size(); ++i) {
        const auto is_same = [&] { return inside_.made(tries[i].first) == inside_.made(tries[i].second); };
        outcomes.push_back(!answers[i] ? MoveOutcome::kRefused
                           : is_same() ? MoveOutcome::kSame
                                       : MoveOutcome::kChanged);
      }
      return outcomes;
    };
    moves_ = learn_moves(accepted, all, random_, inside_.examples, attempt);
  }

  /// Each chain goes where it is accepted.
  void walk(int64_t rounds) {
    for (int64_t round = 0; round < rounds && inside_.go_on(); ++round) {
      std::vector<Recipe> next;
      for (const Recipe& one : at_)
        next.push_back(random_.chance(kAnew) ? fresh_recipe(random_)
                                             : neighbour(one, random_, moves_, inside_.examples));
      const std::vector<bool> accepted = inside_.ask(next);
      for (size_t i = 0; i < kChains; ++i)
        if (accepted[i]) at_[i] = next[i];
    }
  }

  Random& random_;
  const Inside& inside_;
  std::vector<Recipe> at_;
  Moves moves_;
};

}  // namespace

Mixed mix_chains(std::span<const Recipe> accepted, bool independent, Random& random, const Inside& inside) {
  return Chains(accepted, random, inside).mixed(accepted, independent);
}

Recipe fresh_recipe(Random& random) {
  Recipe recipe;
  for (uint32_t& word : recipe.choices.words) word = static_cast<uint32_t>(random.bits() >> 32);
  return recipe;
}

}  // namespace convict::generate

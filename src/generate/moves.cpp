// SPDX-License-Identifier: Apache-2.0
#include "generate/moves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace convict::generate {
namespace {

constexpr uint64_t bit_of(Step step) { return uint64_t{1} << static_cast<int>(step); }

constexpr uint64_t bits_of(std::initializer_list<Step> steps) {
  uint64_t bits = 0;
  for (const Step step : steps) bits |= bit_of(step);
  return bits;
}

/// Steps that kernels often tie together.
constexpr uint64_t kWindow = bits_of({Step::kKernel, Step::kStride, Step::kDilation, Step::kExtent, Step::kPadding,
                                      Step::kOutputPadding, Step::kRest});
constexpr uint64_t kChannels = bits_of({Step::kGrouping, Step::kGroups, Step::kInput, Step::kOutput});
constexpr uint64_t kAxes = bits_of({Step::kRank, Step::kOrder});
constexpr uint64_t kBundles[] = {
    kChannels,
    kWindow,
    kWindow | kAxes,
    kWindow | kAxes | kChannels,
    bits_of({Step::kIntegers, Step::kPass, Step::kType, Step::kZeroPoints, Step::kRequantization, Step::kBeta}),
    bits_of({Step::kLayouts, Step::kWeights, Step::kViews}),
    bits_of({Step::kBias, Step::kRelu, Step::kBeta, Step::kCalls, Step::kFill})};

uint32_t word(Random& random) { return static_cast<uint32_t>(random.bits() >> 32); }

void draw_again(Recipe& recipe, uint64_t steps, Random& random, size_t examples) {
  for (; steps != 0; steps &= steps - 1) {
    const int step = std::countr_zero(steps);
    recipe.choices.words[static_cast<size_t>(step)] = word(random);
    if (examples == 0) continue;
    const uint64_t bit = uint64_t{1} << step;
    if (recipe.kept == 0) recipe.example = static_cast<uint32_t>(random.below(static_cast<int64_t>(examples)));
    recipe.kept = random.chance(kKeptShare) ? recipe.kept | bit : recipe.kept & ~bit;
  }
}

/// Of these steps, each with a chance of one half.
uint64_t half_of(uint64_t steps, Random& random) { return steps & random.bits(); }

uint64_t any_steps(Random& random) {
  constexpr double kOne = 0.4, kTwo = 0.25, kThree = 0.13, kBundle = 0.15;  // else half of them
  uint64_t steps = 0;
  double left = random.uniform();
  for (const double chance : {kOne, kTwo, kThree}) {
    steps |= uint64_t{1} << random.below(kStepCount);
    if ((left -= chance) < 0) return steps;
  }
  if (left < kBundle) return random.pick<uint64_t>(kBundles);
  return half_of((uint64_t{1} << kStepCount) - 1, random);
}

uint64_t tied_steps(const Moves& moves, Random& random) {
  int64_t left = random.below(moves.tries());
  for (const Move& one : moves.tied)
    if ((left -= one.tries) < 0) return one.steps;
  return 0;
}

/// How often a move was accepted, and led to another case.
struct Rates {
  double accepted = 0, changed = 0;
};

/// Tries moves from accepted recipes, and learns.
class Learner {
 public:
  Learner(std::span<const Recipe> accepted, Random& random, size_t examples, const Try& attempt)
      : accepted_(accepted), random_(random), examples_(examples), attempt_(attempt) {}

  Moves learnt(bool all) && {
    learn_steps();
    if (all) learn_pairs();
    learn_bundles();
    return std::move(moves_);
  }

 private:
  void learn_steps() {
    constexpr double kHardlyRefused = 0.95;
    std::vector<uint64_t> steps(kStepCount);
    for (size_t i = 0; i < kStepCount; ++i) steps[i] = uint64_t{1} << i;
    alone_ = rates_of(steps, 128);
    for (size_t i = 0; i < kStepCount; ++i)
      if (alone_[i].accepted >= kHardlyRefused)
        moves_.loose |= steps[i];
      else
        add(steps[i], alone_[i], kSeldom);
  }

  /// Of steps that are not loose.
  void learn_pairs() {
    constexpr double kClearly = 1.5;
    std::vector<uint64_t> pairs;
    std::vector<double> expected;
    for (size_t i = 0; i < kStepCount; ++i)
      for (size_t j = 0; j < i; ++j) {
        const uint64_t pair = uint64_t{1} << i | uint64_t{1} << j;
        if ((pair & moves_.loose) != 0) continue;
        pairs.push_back(pair);
        expected.push_back(kClearly * alone_[i].accepted * alone_[j].accepted);
      }
    const std::vector<Rates> rates = rates_of(pairs, 128);
    for (size_t i = 0; i < pairs.size(); ++i)
      if (rates[i].accepted > expected[i]) add(pairs[i], rates[i], kSeldom);
  }

  void learn_bundles() {
    const std::vector<Rates> rates = rates_of(kBundles, 512);
    for (size_t i = 0; i < rates.size(); ++i) add(kBundles[i], rates[i], kSeldomOfBundle);
  }

  void add(uint64_t steps, const Rates& rates, double least) {
    if (rates.changed < least / 3) return;  // chance may have been all
    moves_.tied.push_back({steps, static_cast<uint32_t>(std::lround(1 / std::max(rates.changed, least)))});
  }

  std::vector<Rates> rates_of(std::span<const uint64_t> moves, size_t tries) {
    std::vector<Rates> rates(moves.size());
    for (size_t done = 0; done < moves.size() * tries; done += kQuestionsAtOnce) {
      std::vector<std::pair<Recipe, Recipe>> asked;
      for (size_t i = done; i < std::min(done + kQuestionsAtOnce, moves.size() * tries); ++i) {
        const Recipe from = random_.pick(accepted_);
        asked.emplace_back(from, from);
        draw_again(asked.back().second, moves[i / tries], random_, examples_);
      }
      const std::vector<MoveOutcome> outcomes = attempt_(asked);
      for (size_t i = 0; i < outcomes.size(); ++i) {
        Rates& one = rates[(done + i) / tries];
        one.accepted += (outcomes[i] != MoveOutcome::kRefused) / static_cast<double>(tries);
        one.changed += (outcomes[i] == MoveOutcome::kChanged) / static_cast<double>(tries);
      }
    }
    return rates;
  }

  // A move that is accepted less often than this has no more tries.
  static constexpr double kSeldom = 1.0 / 64, kSeldomOfBundle = 1.0 / 100;

  const std::span<const Recipe> accepted_;
  Random& random_;
  const size_t examples_;
  const Try& attempt_;
  std::vector<Rates> alone_;
  Moves moves_;
};

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

Recipe neighbour(const Recipe& recipe, Random& random, const Moves& moves, size_t examples) {
  constexpr double kLoose = 0.3, kTied = 0.55;  // else any steps
  const double at = random.uniform();
  uint64_t steps = 0;
  if (moves.tied.empty() || at >= kLoose + kTied)
    steps = any_steps(random);
  else if (at < kLoose)
    steps = half_of(moves.loose, random);
  else
    steps = tied_steps(moves, random) | (random.chance(0.5) ? half_of(moves.loose, random) : 0);
  Recipe next = recipe;
  draw_again(next, steps, random, examples);
  return next;
}

Moves learn_moves(std::span<const Recipe> accepted, bool all, Random& random, size_t examples, const Try& attempt) {
  return Learner(accepted, random, examples, attempt).learnt(all);
}

Mixed mix_chains(std::span<const Recipe> accepted, bool independent, Random& random, const Inside& inside) {
  return Chains(accepted, random, inside).mixed(accepted, independent);
}

Recipe fresh_recipe(Random& random) {
  Recipe recipe;
  for (uint32_t& word : recipe.choices.words) word = static_cast<uint32_t>(random.bits() >> 32);
  return recipe;
}

}  // namespace convict::generate

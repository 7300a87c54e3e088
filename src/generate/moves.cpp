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

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
#include "generate/walk.h"

#include <span>

#include "core/coverage.h"
#include "generate/draw.h"
#include "generate/plan.h"

namespace convict::generate {
namespace {

/// Steps that kernels tie together: a walk draws all of a row again, too.
constexpr Step kChannelSteps[] = {Step::kGrouping, Step::kGroups, Step::kInput, Step::kOutput};
constexpr Step kWindowSteps[] = {Step::kKernel,  Step::kStride,        Step::kDilation, Step::kExtent,
                                 Step::kPadding, Step::kOutputPadding, Step::kRest};
constexpr Step kTypeSteps[] = {Step::kIntegers,   Step::kPass,           Step::kType,
                               Step::kZeroPoints, Step::kRequantization, Step::kBeta};
constexpr Step kPlaceSteps[] = {Step::kLayouts, Step::kWeights, Step::kViews};
constexpr Step kFusedSteps[] = {Step::kBias, Step::kRelu, Step::kBeta, Step::kCalls, Step::kFill};
constexpr std::span<const Step> kBundles[] = {kChannelSteps, kWindowSteps, kTypeSteps, kPlaceSteps, kFusedSteps};

uint32_t word(Random& random) { return static_cast<uint32_t>(random.bits() >> 32); }

void draw_again(Recipe& recipe, Step step, Random& random, size_t examples) {
  recipe.choices[step] = word(random);
  if (examples == 0) return;
  const uint64_t bit = uint64_t{1} << static_cast<int>(step);
  if (recipe.kept == 0) recipe.example = static_cast<uint32_t>(random.below(static_cast<int64_t>(examples)));
  recipe.kept = random.chance(kKeptShare) ? recipe.kept | bit : recipe.kept & ~bit;
}

}  // namespace

Recipe neighbour(const Recipe& recipe, Random& random, size_t examples) {
  constexpr double kOne = 0.4, kTwo = 0.25, kThree = 0.13, kBundle = 0.15;  // else half of them
  Recipe next = recipe;
  const auto some = [&] { return static_cast<Step>(random.below(kStepCount)); };
  double left = random.uniform();
  for (const double chance : {kOne, kTwo, kThree}) {
    draw_again(next, some(), random, examples);
    if ((left -= chance) < 0) return next;
  }
  next = recipe;
  if ((left -= kBundle) < 0) {
    for (const Step step : random.pick<std::span<const Step>>(kBundles)) draw_again(next, step, random, examples);
    return next;
  }
  for (size_t step = 0; step < kStepCount; ++step)
    if (random.chance(0.5)) draw_again(next, static_cast<Step>(step), random, examples);
  return next;
}

Walk::Walk(const Sampling& sampling, const Share& share, uint64_t index)
    : sampling_(sampling), domain_(share.domain), random_(mix(sampling.seed ^ 0x77616c6b), index) {
  const uint64_t number = wish_number(sampling, share, index), rare = number - kWishesBeforeRarePairs;
  const bool has_wish = index % 2 != 0;
  if (has_wish && sampling.focus.empty() && number >= kWishesBeforeRarePairs && rare < domain_.rare.size()) {
    at_ = domain_.rare[rare];
    wish_ = at_.wish;
    steps_ = kFreshSteps;  // more of them might lose what is rare in it
  } else {
    at_ = random_.pick(std::span(domain_.starts));
    at_.wish = Recipe::kNoWish;
    // Of every second wish, none: so that three quarters of the cases are distributed as the profile has them inside.
    const bool aims = has_wish && (!sampling.focus.empty() || number % 2 == 0);
    if (aims && is_steered(sampling.profile))
      if (const auto wish = wish_for(sampling, domain_, 1, index / 2)) wish_ = id_of(*wish);
  }
  threads_ = static_cast<uint32_t>(mix(mix(sampling.seed ^ 0x74687264) + index / kBlock) >> 32);
  propose();
}

void Walk::propose() {
  for (; step_ < steps_; ++step_) {
    next_ = proposal();
    next_.wish = step_ < kFreshSteps ? at_.wish : wish_;
    asked_ = made(sampling_.profile, next_, domain_.examples);
    if (is_worth_asking(asked_, next_)) return;
  }
}

/// First other data and the threads of the block (decision 14), or other data at least. Threads stay so from then on.
Recipe Walk::proposal() {
  if (step_ >= kFreshSteps) {
    Recipe next = neighbour(at_, random_, domain_.examples.size());
    next.choices[Step::kThreads] = at_.choices[Step::kThreads];
    return next;
  }
  Recipe next = at_;
  draw_again(next, Step::kData, random_, 0);
  if (step_ == 0) next.choices[Step::kThreads] = threads_;
  return next;
}

void Walk::answer(bool accepted) {
  if (accepted) {
    at_ = next_;
    found_ = asked_;
  }
  const bool is_fresh = accepted && step_ == 0;
  step_ += is_fresh ? kFreshSteps : 1;
  propose();
}

Case Walk::found() const { return found_ ? *found_ : made(sampling_.profile, at_, domain_.examples); }

}  // namespace convict::generate

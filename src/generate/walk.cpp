// SPDX-License-Identifier: Apache-2.0
#include "generate/walk.h"

#include <span>

#include "core/coverage.h"
#include "generate/draw.h"
#include "generate/moves.h"
#include "generate/plan.h"

namespace convict::generate {

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
    if (is_worth_asking(asked_, next_) && !is_one_too_many(sampling_.profile, asked_, next_)) return;
  }
}

/// First other data and the threads of the block (docs/background/generator.md), or other data at least. Threads stay
/// so from then on.
Recipe Walk::proposal() {
  if (step_ >= kFreshSteps) {
    Recipe next = neighbour(at_, random_, domain_.moves, domain_.examples.size());
    next.choices[Step::kThreads] = at_.choices[Step::kThreads];
    return next;
  }
  Recipe next = at_;
  next.choices[Step::kData] = static_cast<uint32_t>(random_.bits() >> 32);
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

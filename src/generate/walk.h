// SPDX-License-Identifier: Apache-2.0
//
// The walk inside a domain. From an accepted case, a few steps are drawn again, with all that follows from them, and
// the walk goes there if the target takes the result. Each step is drawn as the profile draws it, whatever the state,
// so the moves are symmetric, and the distribution that stays as it is is that of the profile, restricted to what the
// target takes. (Metropolis et al., "Equation of State Calculations by Fast Computing Machines", 1953, with the random
// numbers of the sampler as the state: choices.h.)
#pragma once

#include <cstdint>
#include <optional>

#include "core/case.h"
#include "generate/sampling.h"

namespace convict::generate {

// Questions for one place; the first ones change data and threads only.
inline constexpr uint32_t kWalkSteps = 6, kFreshSteps = 2;
// The answers to them are a bit each, from the lowest. The bit of a question in the upper half says that the case is
// the one asked about.
inline constexpr uint32_t kAsked = 1 << 16;
// The first wishes of a share are none of its rare pairs, which are often empty problems: a short campaign should not
// be full of them.
inline constexpr uint64_t kWishesBeforeRarePairs = 100;

/// From an accepted case of the share to that of a place.
class Walk {
 public:
  /// Borrows the sampling. Precondition: the domain of the share has starts.
  Walk(const Sampling& sampling, const Share& share, uint64_t index);

  bool is_over() const { return step_ == steps_; }
  /// The case that the target is to be asked about next, and its number. Precondition: not over.
  const Case& asks() const { return asked_; }
  uint32_t step() const { return step_; }
  void answer(bool accepted);
  /// The last case that was accepted.
  Case found() const;

 private:
  void propose();
  Recipe proposal();

  const Sampling& sampling_;
  const Domain& domain_;
  Random random_;
  Recipe at_, next_;
  uint32_t wish_ = Recipe::kNoWish, threads_ = 0, step_ = 0, steps_ = kWalkSteps;
  Case asked_;
  std::optional<Case> found_;
};

}  // namespace convict::generate

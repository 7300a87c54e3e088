// SPDX-License-Identifier: Apache-2.0
//
// One case: drawn along a plan, for a wish, or from a recipe.
#pragma once

#include <span>

#include "core/case.h"
#include "core/random.h"
#include "generate/choices.h"
#include "generate/domain.h"
#include "generate/plan.h"
#include "generate/profile.h"

namespace convict::generate {

/// A legal case that follows the plan as far as it can. Each step draws with its word, if there are `choices`; else all
/// of them with `random`. Precondition: the profile is kSteered.
Case draw(const Profile& profile, const Plan& plan, Random& random, const Choices* choices = nullptr);

/// The same for a plan with a wish. Drops the mask from the second draw on, because the two may contradict each other.
Case draw_wished(const Profile& profile, const Plan& mask, const Tuple& wish, Random& random);

/// The case of a recipe; it may miss the wish, and be illegal or too large if it keeps parts of an example. `profile`
/// nullptr is `all`.
Case made(const Profile* profile, const Recipe& recipe, std::span<const Case> examples);

/// Whether a legal case has all levels of the tuple.
bool shows(const Case& c, const Tuple& wish);
/// Whether a case of the recipe is worth a question: it has the wish, if there is one, and is legal and not too large.
bool is_worth_asking(const Case& c, const Recipe& recipe);

/// Whether a walk leaves this case out. A domain in which fields depend on each other has more cases of one tap, and of
/// one channel in and out, than the profile. So a walk drops some of them, by a hash of the data's seed, and keeps so
/// many that a level has about half of its share. False for a profile that mixes no others, and for a case with a wish.
bool is_one_too_many(const Profile* profile, const Case& c, const Recipe& recipe);

/// Makes a legal case illegal, in exactly one way that its line can express. Every implementation must refuse it.
void make_illegal(Case& c, Random& random);

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
//
// What a survey learns of a target that ties fields together, and of one that says why it refuses.
#include "generate/moves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/geometry.h"
#include "generate/draw.h"
#include "generate/niches.h"

namespace convict::generate {
namespace {

constexpr uint64_t bit_of(Step step) { return uint64_t{1} << static_cast<int>(step); }

/// The kernel is the stride.
bool tiles(const Case& c) { return !resolve(c).why_not && c.kernel == c.stride; }

Case made_of(const Recipe& recipe) { return made(find_profile("any"), recipe, {}); }

std::vector<Recipe> accepted_recipes(Random& random, size_t count) {
  std::vector<Recipe> recipes;
  while (recipes.size() < count)
    if (const Recipe one = fresh_recipe(random); tiles(made_of(one)) && made_of(one).kernel[0] > 1)
      recipes.push_back(one);
  return recipes;
}

Moves learnt() {
  Random random(5, 0);
  const Try attempt = [](std::span<const std::pair<Recipe, Recipe>> tries) {
    std::vector<MoveOutcome> outcomes;
    for (const auto& [from, to] : tries) {
      const Case c = made_of(to);
      outcomes.push_back(!tiles(c)            ? MoveOutcome::kRefused
                         : c == made_of(from) ? MoveOutcome::kSame
                                              : MoveOutcome::kChanged);
    }
    return outcomes;
  };
  return learn_moves(accepted_recipes(random, 64), /*all=*/true, random, 0, attempt);
}

TEST(Moves, WhatIsTiedIsDrawnTogether) {
  const Moves moves = learnt();
  for (const Step loose : {Step::kFill, Step::kData, Step::kBias, Step::kThreads})
    EXPECT_TRUE(moves.loose & bit_of(loose)) << static_cast<int>(loose);
  for (const Step tied : {Step::kKernel, Step::kStride})
    EXPECT_FALSE(moves.loose & bit_of(tied)) << static_cast<int>(tied);
  const uint64_t both = bit_of(Step::kKernel) | bit_of(Step::kStride);
  EXPECT_TRUE(std::ranges::any_of(moves.tied, [&](const Move& one) { return (one.steps & both) == both; }));
}

TEST(Moves, WhatIsSeldomAcceptedIsTriedMoreOften) {
  const Moves moves = learnt();
  uint32_t least = UINT32_MAX, most = 0;
  for (const Move& one : moves.tied) least = std::min(least, one.tries), most = std::max(most, one.tries);
  EXPECT_GE(most, 4 * least);
}

TEST(Moves, ANeighbourKeepsWhatNoMoveHas) {
  const Moves moves = {bit_of(Step::kFill), {{bit_of(Step::kKernel) | bit_of(Step::kStride), 1}}};
  Random random(3, 0);
  const Recipe from = fresh_recipe(random);
  int kept = 0;
  for (int i = 0; i < 400; ++i) {
    const Recipe to = neighbour(from, random, moves, 0);
    kept += to.choices[Step::kLayouts] == from.choices[Step::kLayouts];
  }
  EXPECT_GE(kept, 340);  // now and then any steps are drawn again
  EXPECT_LT(kept, 400);
}

TEST(Niches, OneReasonTellsNothing) {
  Random random(1, 0);
  Niches niches;
  niches.add({"unsupported ic=7"}, {}, true, random);
  niches.add({"unsupported ic=9"}, {}, true, random);
  niches.add({"it does not accumulate", false}, {}, true, random);
  EXPECT_FALSE(niches.are_telling());
  niches.add({"only 3x3"}, {}, true, random);
  EXPECT_TRUE(niches.are_telling());
}

TEST(Niches, TheRarestReasonOfTheTargetIsFollowedAndNamed) {
  Random random(1, 0);
  Niches niches;
  Recipe rare;
  rare.example = 7;
  for (int i = 0; i < 50; ++i) niches.add({"only conv2d"}, {}, true, random);
  niches.add({"no relu", false}, {}, true, random);
  niches.add({"only 3x3"}, rare, true, random);
  int followed = 0;
  for (int i = 0; i < 40; ++i) followed += niches.rare(random).example == 7;
  EXPECT_GE(followed, 20);
  EXPECT_EQ(niches.deepest(), "only 3x3; or: only conv2d");
}

}  // namespace
}  // namespace convict::generate

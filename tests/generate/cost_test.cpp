// SPDX-License-Identifier: Apache-2.0
#include "generate/cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"

namespace convict {
namespace {

/// Each factor of two of the size has the same share of the time. Equal chances for equal ratios of the size would give
/// the last one half of it.
TEST(Cost, TimeIsSharedAmongFactorsOfTheSize) {
  constexpr double kFree = 3000, kLeast = 500, kMost = 200e3;
  Random random(1, 1);
  std::vector<double> time(9, 0.0);  // by factors of two
  for (int i = 0; i < 200'000; ++i) {
    const double size = generate::draw_budget(random, kLeast, kMost, kFree);
    ASSERT_GE(size, kLeast);
    ASSERT_LE(size, kMost);
    time[static_cast<size_t>(std::log2(size / kLeast))] += 1 + size / kFree;
  }
  for (size_t factor = 1; factor < 8; ++factor) EXPECT_NEAR(time[factor] / time[0], 1, 0.1) << factor;
}

TEST(Cost, ABudgetOfOneSizeIsThatSize) {
  Random random(1, 1);
  EXPECT_EQ(generate::draw_budget(random, 500, 500, 3000), 500);
  EXPECT_EQ(generate::draw_budget(random, 500, 400, 3000), 400);  // the most wins
}

TEST(Cost, GrowsWithProductsAndElements) {
  const auto cost = [](const char* line) {
    const Case c = parse_case(line);
    return generate::relative_cost(c, resolve_valid(c));
  };
  EXPECT_NEAR(cost("conv1d n=0 in=1"), 1, 0.01);
  EXPECT_NEAR(cost("conv1d in=3000"), 1 + 1 + 6001.0 / 1400, 1e-6);
  EXPECT_GT(cost("conv1d in=3000 k=3"), cost("conv1d in=3000"));
}

}  // namespace
}  // namespace convict

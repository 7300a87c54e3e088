// SPDX-License-Identifier: Apache-2.0
#include "generate/reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/coverage.h"

namespace convict {
namespace {

using namespace feature;

uint32_t pair(FeatureId a, int level_a, FeatureId b, int level_b) {
  return id_of({2, {a, b}, {static_cast<uint8_t>(level_a), static_cast<uint8_t>(level_b)}});
}

TEST(WithinReach, KeepsWhatCanBeShownInItsOrder) {
  const uint32_t convs_output_padding = pair(kOp, 0, kOutputPadding, levels::kAllAxes);
  const uint32_t bias_of_dgrad = pair(kPass, 1, kBias, 1);
  const uint32_t transposed = pair(kOp, 1, kOutputPadding, levels::kAllAxes);
  const uint32_t depthwise = pair(kGrouping, levels::kDepthwise, kBias, 1);
  const std::vector<uint32_t> ids = {depthwise, convs_output_padding, transposed, bias_of_dgrad};
  for (const generate::Profile* profile :
       {generate::find_profile("smoke"), static_cast<const generate::Profile*>(nullptr)})
    EXPECT_EQ(generate::within_reach(profile, ids, 10), (std::vector<uint32_t>{depthwise, transposed}));
  EXPECT_EQ(generate::within_reach(nullptr, ids, 1), std::vector<uint32_t>{depthwise});
}

/// Two draws find nearly all pairs that twelve do, and nothing that twelve do not.
TEST(WithinReach, AgreesWithReachable) {
  const generate::Profile* smoke = generate::find_profile("smoke");
  std::vector<uint32_t> pairs(pair_count());
  std::iota(pairs.begin(), pairs.end(), 0u);
  const std::vector<bool> can = generate::reachable(smoke);
  const std::vector<uint32_t> found = generate::within_reach(smoke, pairs, pairs.size());
  for (const uint32_t id : found) EXPECT_TRUE(can[id]) << name_of(tuple_of(id));
  const auto all = std::count(can.begin(), can.begin() + pair_count(), true);
  EXPECT_GT(static_cast<double>(found.size()), 0.99 * static_cast<double>(all));
}

TEST(WithinReach, IsNothingForSamplersWithoutWishes) {
  const std::vector<uint32_t> ids = {pair(kOp, 0, kRank, 1)};
  EXPECT_TRUE(generate::within_reach(generate::find_profile("uniform"), ids, 10).empty());
  EXPECT_EQ(generate::within_reach(generate::find_profile("smoke"), ids, 10).size(), 1u);
}

}  // namespace
}  // namespace convict

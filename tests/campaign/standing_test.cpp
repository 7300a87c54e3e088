// SPDX-License-Identifier: Apache-2.0
//
// The bound that a summary states holds as often as it says: 95 % of campaigns.
#include "campaign/standing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/random.h"

namespace convict {
namespace {

TEST(Standing, TheBoundOnFailuresHoldsInNineteenOfTwentyCampaigns) {
  constexpr int kCampaigns = 4000;
  for (const double rate : {0.001, 0.003, 0.01}) {
    for (const uint64_t judged : {300u, 1000u, 3000u}) {
      campaign::Standing standing;
      standing.judged = judged;
      int clean = 0, too_low = 0;
      Random random(17, judged);
      for (int i = 0; i < kCampaigns; ++i) {
        uint64_t failures = 0;
        for (uint64_t k = 0; k < judged; ++k) failures += random.chance(rate);
        clean += failures == 0;
        too_low += failures == 0 && standing.unseen_failures() < rate;
      }
      // A campaign says something wrong if it saw no failure and states a bound below the true rate.
      EXPECT_LE(too_low, kCampaigns * 0.055) << rate << " " << judged;
      if (standing.unseen_failures() < rate) {
        EXPECT_EQ(too_low, clean);
      }
    }
  }
}

/// By hand: 1 - 0.05^(1/300) = 0.009936.
TEST(Standing, TheBoundIsThatOfTheRuleOfThree) {
  campaign::Standing standing;
  EXPECT_EQ(standing.unseen_failures(), 1);
  standing.judged = 300;
  EXPECT_NEAR(standing.unseen_failures(), 0.009936, 1e-6);
}

TEST(Standing, IsKeptBetweenTwoRunsOfACampaign) {
  campaign::Standings standings;
  standings["mine"].judged = 5;
  standings["mine"].pairs.add({});
  const campaign::Standings again = campaign::standings_of(
      {}, {{"mine", "", "", "", true}, {"other", "", "", "", false}}, campaign::to_json(standings));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again.at("mine").judged, 5u);
  EXPECT_EQ(again.at("mine").pairs.seen_pairs(), standings["mine"].pairs.seen_pairs());
}

}  // namespace
}  // namespace convict

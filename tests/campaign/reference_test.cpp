// SPDX-License-Identifier: Apache-2.0
//
// A campaign whose exact reference is wrong has no judge: it stops at the first such case.
#include <gtest/gtest.h>

#include "campaign/campaign.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

class Doubted : public testing::Test {
 protected:
  campaign::CampaignResult campaign(uint64_t seed) {
    campaign::CampaignSettings settings;
    settings.supervisor.worker.roster.targets = {"direct"};
    settings.supervisor.worker.roster.oracles = {"none"};
    settings.supervisor.worker.seed = seed;
    settings.supervisor.program = CONVICT_DOUBTING_WORKER;
    settings.supervisor.lone_program = CONVICT_PROGRAM;
    settings.database = directory_.file("convict.db");
    settings.cases = 5000;
    return campaign::run_campaign(settings, [](const campaign::CampaignResult&) {});
  }
  TemporaryDirectory directory_;
};

TEST_F(Doubted, AReferenceThatTheCheckerRefutesStopsTheCampaignAtOnce) {
  const campaign::CampaignResult result = campaign(1);
  EXPECT_TRUE(result.reference_is_wrong);
  ASSERT_EQ(result.found.size(), 1u);
  EXPECT_EQ(result.found.begin()->second.hits, 1u);
  EXPECT_EQ(result.counts[Counter::kCases], 1u);
  EXPECT_EQ(store::Store::open(directory_.file("convict.db")).campaign(result.id)->state, "failed");
}

/// A doubt that neither the checker nor anybody else shares is nobody's, and no reason to stop.
TEST_F(Doubted, AReferenceThatTheCheckerUpholdsDoesNot) {
  const campaign::CampaignResult result = campaign(2);
  EXPECT_FALSE(result.reference_is_wrong);
  EXPECT_EQ(result.counts[Counter::kCases], 5000u);
}

}  // namespace
}  // namespace convict::test

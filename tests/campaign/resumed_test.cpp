// SPDX-License-Identifier: Apache-2.0
//
// A campaign that goes on knows what it has found, also if that was explained meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "campaign/campaign.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

TEST(Resumed, AnExplainedRowIsFoundOnce) {
  const TemporaryDirectory directory;
  std::atomic<bool> interrupted = false;
  campaign::CampaignSettings settings;
  settings.supervisor.worker.roster = {.targets = {"B13"}, .oracles = {"none"}, .plugins = {plugin("mutants_b")}};
  settings.supervisor.program = settings.supervisor.lone_program = CONVICT_PROGRAM;
  settings.supervisor.worker.profile = "smoke";
  settings.supervisor.worker.where = "rank=2 pass=forward operation=conv d>=2 k>=2";  // B13 takes such dilations for 1
  settings.supervisor.interrupted = &interrupted;
  settings.database = directory.file("convict.db");
  settings.cases = 200;
  campaign::run_campaign(settings, [&](const campaign::CampaignResult& so_far) {
    interrupted = !so_far.found.empty() && so_far.counts[Counter::kCases] > 20;
  });
  ASSERT_TRUE(interrupted) << "it ended before";
  {
    store::Store store = store::Store::open(settings.database);
    const store::MismatchRow row = store.mismatches().at(0);
    store.explain(row.id, {.case_text = row.case_text,
                           .shrunk_text = row.case_text,
                           .predicate = "d >= 2",
                           .explanation = {.reproduced = true}});
  }
  interrupted = false;
  settings.resumed = 1;
  size_t most = 0;
  const campaign::CampaignResult result = campaign::run_campaign(
      settings, [&](const campaign::CampaignResult& so_far) { most = std::max(most, so_far.found.size()); });
  EXPECT_EQ(most, result.found.size());
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// What a campaign had no time to repeat is nobody's, and the first work of the next one.
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "campaign/campaign.h"
#include "campaign/case_list.h"
#include "core/case_text.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

class Unconfirmed : public testing::Test {
 protected:
  Unconfirmed() {
    settings_.supervisor.worker.roster.plugins = {plugin("mutants_b")};
    settings_.supervisor.worker.roster.targets = {"B13"};  // takes dilations of 2 and more for 1
    settings_.supervisor.worker.roster.oracles = {"none"};
    settings_.supervisor.program = settings_.supervisor.lone_program = CONVICT_PROGRAM;
    settings_.supervisor.worker.profile = "smoke";
    settings_.database = directory_.file("convict.db");
    settings_.cases = 1;
  }
  /// A row of an earlier campaign.
  void note(const std::string& line, Verdict verdict = Verdict::kWrongExact) {
    store::Store store = store::Store::open(settings_.database);
    Mismatch seen{parse_case(line), "B13", verdict, Blame::kTarget, {}};
    seen.certificate.alone.runs = 0;
    const int64_t id = store.begin_campaign({1, "smoke", nlohmann::json::object(), nlohmann::json::object(), "", "1"});
    store.record(id, without_blame(seen));
  }
  std::vector<store::MismatchRow> rows_after_a_campaign() {
    campaign::run_campaign(settings_, [](const campaign::CampaignResult&) {});
    return store::Store::open(settings_.database).mismatches();
  }
  TemporaryDirectory directory_;
  campaign::CampaignSettings settings_;
};

TEST_F(Unconfirmed, WhatComesBackIsTheSuspects) {
  note("conv2d in=5 k=2 d=2");
  const auto rows = rows_after_a_campaign();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].suspect, "B13");
  EXPECT_EQ(rows[0].case_text, "conv2d in=5x5 k=2x2 d=2x2");
  EXPECT_EQ(rows[0].hits, 2);
}

TEST_F(Unconfirmed, HitsOfOtherRowsStayTheirs) {
  note("conv2d in=5 k=2 d=2");
  note("conv2d in=6 k=2 d=2 fill=normal", Verdict::kWrongProven);
  int64_t hits = 0;
  for (const store::MismatchRow& row : rows_after_a_campaign()) hits += row.suspect == "B13" ? row.hits : 0;
  EXPECT_EQ(hits, 4);  // two that were noted, and two that came back
}

TEST_F(Unconfirmed, WhatDoesNotStaysNobodysAndIsNotRepeatedAgain) {
  note("conv2d in=5 k=2");
  const auto rows = rows_after_a_campaign();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].suspect, kUnattributed);
  EXPECT_EQ(rows[0].certificate["alone_runs"], 10);
  EXPECT_EQ(rows_after_a_campaign()[0].hits, rows[0].hits);
}

/// Interrupted as soon as one case was seen to fail.
TEST_F(Unconfirmed, WhatAnInterruptedListHadNoTimeForIsNobodys) {
  std::vector<CorpusEntry> entries;
  for (int in = 5; in < 45; ++in)
    entries.push_back({parse_case("conv2d k=2 d=2 in=" + std::to_string(in)), /*must_be_refused=*/false, ""});
  std::atomic<bool> interrupted = false;
  settings_.supervisor.interrupted = &interrupted;
  const auto stop = [&](uint64_t done) { interrupted = done > 0; };
  const campaign::CaseListResult result = campaign::run_case_list(entries, settings_.supervisor, stop);
  EXPECT_TRUE(result.interrupted);
  size_t seen = 0;
  for (const campaign::CaseResult& one : result.cases)
    for (const Mismatch& mismatch : one.mismatches) {
      ++seen;
      const Certificate::Alone& alone = mismatch.certificate.alone;
      if (mismatch.blame == Blame::kNobody)
        EXPECT_EQ(alone.seen, "B13");
      else
        EXPECT_GT(alone.failed.value_or(0), 0) << to_text(mismatch.problem_case);
    }
  EXPECT_GT(seen, 0u);
}

}  // namespace
}  // namespace convict::test

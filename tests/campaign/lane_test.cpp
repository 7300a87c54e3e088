// SPDX-License-Identifier: Apache-2.0
//
// A target that dies often gets processes of its own. It is judged on the same cases as everybody, each of them once.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "campaign/campaign.h"
#include "tests/cli/command.h"

namespace convict::test {
namespace {

constexpr const char* kDying = "crashes-on-three";

class LaneTest : public testing::Test {
 protected:
  LaneTest() {
    workers::SupervisionSettings& supervisor = settings_.supervisor;
    supervisor.worker.roster.plugins = {plugin("faulty")};
    supervisor.worker.roster.targets = {"direct", kDying};
    supervisor.worker.roster.oracles = {"none"};
    supervisor.program = supervisor.lone_program = CONVICT_PROGRAM;
    supervisor.worker.profile = "smoke";
    supervisor.worker.where = "oc=3 ic<=8";
    supervisor.interrupted = &interrupted_;
    settings_.database = directory_.file("convict.db");
    settings_.cases = kCases;
  }

  campaign::CampaignResult run() {
    return campaign::run_campaign(settings_, [this](const campaign::CampaignResult& so_far) {
      const auto dying = so_far.standings.find(kDying);
      const bool has_lane = !so_far.notes.empty() && so_far.notes.back().find("judged in other processes") != std::string::npos;
      if (stops_ && has_lane && dying != so_far.standings.end() && so_far.counts[Counter::kCases] > kCases / 4) interrupted_ = true;
    });
  }

  static uint64_t hits_of(const campaign::CampaignResult& result, const std::string& who) {
    return std::accumulate(result.found.begin(), result.found.end(), uint64_t{0}, [&](uint64_t sum, const auto& row) {
      return row.second.example.suspect == who ? sum + row.second.hits : sum;
    });
  }
  static uint64_t refusals_of(const campaign::CampaignResult& result, const std::string& who) {
    return std::accumulate(result.refusals.begin(), result.refusals.end(), uint64_t{0}, [&](uint64_t sum, const auto& one) {
      return one.first.first == who ? sum + one.second : sum;
    });
  }

  static constexpr uint64_t kCases = 120;
  TemporaryDirectory directory_;
  campaign::CampaignSettings settings_;
  std::atomic<bool> interrupted_ = false;
  bool stops_ = false;
};

TEST_F(LaneTest, EachCaseIsEitherJudgedOrRefusedOrDiedOf) {
  const campaign::CampaignResult result = run();
  ASSERT_EQ(result.counts[Counter::kCases], kCases);
  EXPECT_TRUE(std::ranges::any_of(result.notes, [](const std::string& note) {
    return note.find("judged in other processes") != std::string::npos;
  }));
  for (const std::string who : {"direct", kDying}) {
    uint64_t died = who == kDying ? hits_of(result, who) : 0;
    EXPECT_EQ(result.standings.at(who).judged + refusals_of(result, who) + died, kCases) << who;
  }
  EXPECT_GT(hits_of(result, kDying), kCases / 4);
}

/// The one that stays takes next to nothing: what is judged in the other lane counts all the same.
TEST_F(LaneTest, WhatOneOfThemJudgesIsJudged) {
  settings_.supervisor.worker.roster.targets = {"winograd_f2", kDying};
  settings_.supervisor.worker.where = "oc<=3 ic<=8";
  const campaign::CampaignResult result = run();
  const uint64_t most = result.standings.at(kDying).judged;
  ASSERT_GT(most, result.standings.at("winograd_f2").judged);
  EXPECT_GE(result.counts[Counter::kJudged], most);
  EXPECT_EQ(result.counts[Counter::kJudged] + result.counts[Counter::kUnjudged], kCases);
}

TEST_F(LaneTest, WhoResumesTakesItUpWhereItWas) {
  stops_ = true;
  ASSERT_TRUE(run().interrupted);
  EXPECT_FALSE(store::Store::open(settings_.database).campaign(1)->done.apart.empty());
  stops_ = interrupted_ = false;
  settings_.resumed = 1;
  const campaign::CampaignResult result = run();
  EXPECT_EQ(result.counts[Counter::kCases], kCases);
  const store::DoneCases done = store::Store::open(settings_.database).campaign(1)->done;
  EXPECT_EQ(done.all.count(), kCases);
  EXPECT_TRUE(done.apart.empty()) << "it has come as far";
  EXPECT_EQ(store::Store::open(settings_.database).mismatches({.suspect = kDying}).at(0).verdict, "crash");
}

}  // namespace
}  // namespace convict::test

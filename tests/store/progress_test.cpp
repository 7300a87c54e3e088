// SPDX-License-Identifier: Apache-2.0
//
// What reports draw, in the database: moments, ratios, scores, and all sightings at once.
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

using nlohmann::json;
using store::CampaignState;

Ratios ratios_of(const std::string& name, double ratio) {
  Ratios ratios;
  ratios[name].add(ratio);
  return ratios;
}

TEST_F(StoreTest, KeepsHowACampaignWentOn) {
  Intervals done;
  done.add(0, 3);
  Timeline timeline;
  timeline.add({0, 0, 1, 2});
  timeline.add({0.5, 3, 4'000'000'000, 6});
  {
    store::Store store = store::Store::open(path_);
    const int64_t id = store.begin_campaign({}), other = store.begin_campaign({});
    store.update_campaign(other, json::object(), CampaignState::kRunning, {{done}, timeline, ratios_of("other", 0)});
    store.update_campaign(id, json::object(), CampaignState::kRunning, {{done}, timeline, ratios_of("direct", 0.3)});
    timeline.add({0.75, 4, 5, 7});  // in place of the one before
    store.update_campaign(id, json::object(), CampaignState::kFinished, {{done}, timeline, ratios_of("direct", 0.6)});
  }
  const store::Store store = store::Store::open(path_);
  EXPECT_EQ(store.campaign(1)->moments, timeline.moments());
  EXPECT_EQ(store.campaign(1)->ratios, ratios_of("direct", 0.6));
  EXPECT_EQ(store.campaign(2)->moments.back(), (Moment{0.5, 3, 4'000'000'000, 6}));
  EXPECT_EQ(query("SELECT count(*) FROM moments"), "4");
  write_sql("PRAGMA foreign_keys = ON; DELETE FROM campaigns WHERE id = 1");
  EXPECT_EQ(query("SELECT count(*) FROM moments"), "2");
}

TEST_F(StoreTest, RatiosThatMakeNoSenseAreNamed) {
  create();
  write_sql(R"(UPDATE campaigns SET ratios = '{"direct":[1]}')");
  EXPECT_EQ(
      contains(refusal([this] { store::Store::open(path_).campaign(1); }, path_), "campaign 1 is damaged (ratios are"),
      "");
}

TEST_F(StoreTest, TheLastScoreIsTheOneThatWasWrittenLast) {
  store::Store store = store::Store::open(path_);
  store.add_score({"2026-01-02T00:00:00Z", "1", {{"seeds", 3}}, {{"later", true}}});
  store.add_score({"2026-01-01T00:00:00Z", "1", {{"seeds", 2}}, {{"later", false}}});
  const auto last = store.last_score();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->written, "2026-01-02T00:00:00Z");
  EXPECT_EQ(last->settings, json({{"seeds", 3}}));
  EXPECT_EQ(last->result, json({{"later", true}}));
  write_sql("UPDATE scores SET result = '[]'");
  EXPECT_EQ(contains(refusal([&] { store.last_score(); }, path_), "not both JSON objects"), "");
}

TEST_F(StoreTest, AllSightingsAreThoseOfEach) {
  store::Store store = store::Store::open(path_);
  const int64_t first = store.begin_campaign({.seed = 1}), second = store.begin_campaign({.seed = 2});
  for (const char* suspect : {"a", "b"}) store.record(first, wrong("conv2d in=4x4", suspect));
  for (int i = 0; i < 3; ++i) store.record(second, wrong("conv2d in=4x4", "b"));
  const auto all = store.all_sightings();
  ASSERT_EQ(all.size(), 2u);
  for (const auto& [id, sightings] : all) {
    const auto one = store.sightings(id);
    ASSERT_EQ(sightings.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_EQ(std::tie(sightings[i].campaign, sightings[i].hits, sightings[i].seed),
                std::tie(one[i].campaign, one[i].hits, one[i].seed));
  }
  ASSERT_EQ(store.all_sightings(second).size(), 1u);
  EXPECT_EQ(store.all_sightings(second).at(2).at(0).hits, 3);

  EXPECT_EQ(store.signatures().signatures, 2u);
  EXPECT_EQ(store.signatures().hit_once, 1u);
  EXPECT_EQ(store.signatures(first).hit_once, 2u);
  EXPECT_EQ(store.signatures(second).signatures, 1u);
  EXPECT_EQ(store.signatures(second).hit_once, 0u);
  EXPECT_EQ(store.mismatches({.campaign = first}).size(), 2u);
  ASSERT_EQ(store.mismatches({.campaign = second}).size(), 1u);
  EXPECT_EQ(store.mismatches({.campaign = second})[0].suspect, "b");
}

/// In the versions that this campaign ran, whatever ran last.
TEST_F(StoreTest, TheStatusIsTheOneThatCountsInTheCampaign) {
  store::Store store = store::Store::open(path_);
  for (const char* version : {"1", "2"})
    store.record(store.begin_campaign({.libraries = {{"direct", version}}}), wrong("conv2d in=4x4"));
  store.triage({{1, {.status = "known", .versions = {{"direct", "1"}}}}});
  EXPECT_EQ(store.mismatches({.campaign = 1}).at(0).effective_status, "known");
  EXPECT_EQ(store.mismatches({.campaign = 2}).at(0).effective_status, "new");
  EXPECT_TRUE(store.mismatches({.status = "known", .campaign = 2}).empty());
}

}  // namespace
}  // namespace convict::test

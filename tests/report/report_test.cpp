// SPDX-License-Identifier: Apache-2.0
//
// The facts of a report, from databases whose contents are known. Coverage: tests/cli/report_test.cpp.
#include "report/report.h"

#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

using nlohmann::json;
using store::CampaignState;

class ReportFacts : public StoreTest {
 protected:
  /// Campaign 1 saw a (once) and b (twice), campaign 2 saw b (three times) and ran another version and a plugin.
  void make_database() const {
    store::Store store = store::Store::open(path_);
    const int64_t first = store.begin_campaign(
        {.seed = 1, .profile = "smoke", .flags = {{"plugins", json::array()}}, .libraries = {{"b", "1"}}});
    for (const char* suspect : {"a", "b", "b"}) store.record(first, wrong("conv2d in=4x4", suspect));
    Intervals done;
    done.add(0, 9);
    Timeline timeline;
    timeline.add({0, 0, 0, 0});
    timeline.add({2.5, 9, 7, 8});
    Ratios ratios;
    ratios["a"].add(0.75);
    store.update_campaign(first, {{"cases", 9}, {"judged", 8}}, CampaignState::kFinished, {{done}, timeline, ratios});
    const int64_t second = store.begin_campaign(
        {.seed = 2, .profile = "all", .flags = {{"plugins", {"./b c.so"}}}, .libraries = {{"b", "2"}}});
    for (int i = 0; i < 3; ++i) store.record(second, wrong("conv2d in=3x3", "b"));
    store.update_campaign(second, {{"cases", 5}, {"judged", 5}}, CampaignState::kRunning);
    store.triage({{2, {.status = "known", .versions = {{"b", "1"}}}}});
  }

  report::Report report(const store::MismatchFilter& mismatches = {}, std::optional<int64_t> campaign = {}) const {
    report::ReportSettings settings;
    settings.database = path_;
    settings.mismatches = mismatches;
    settings.campaign = campaign;
    return report::make_report(settings, [](const std::string&) {});
  }
};

TEST_F(ReportFacts, HasCampaignsWithTheirProgress) {
  make_database();
  write_sql("UPDATE campaigns SET started = '2020' WHERE id = 2");
  const report::Report all = report();
  EXPECT_TRUE(all.notes.empty());
  EXPECT_EQ(all.version, CONVICT_VERSION);
  EXPECT_FALSE(all.isa.empty());
  EXPECT_EQ(all.written.size(), std::string("2026-11-21T02:13:28Z").size());
  EXPECT_TRUE(all.score.is_null());
  ASSERT_EQ(all.campaigns.size(), 2u);
  EXPECT_EQ(all.campaigns[0].id, 2) << "it began first";
  EXPECT_EQ(all.campaigns[0].state, "running");
  EXPECT_EQ(all.campaigns[0].started, "2020");
  EXPECT_EQ(all.campaigns[0].ended, "");
  EXPECT_TRUE(all.campaigns[0].moments.empty());
  const report::CampaignReport& first = all.campaigns[1];
  EXPECT_EQ(first.info.seed, 1u);
  EXPECT_EQ(first.info.profile, "smoke");
  EXPECT_FALSE(first.ended.empty());
  EXPECT_EQ(first.counts["cases"], 9);
  ASSERT_EQ(first.moments.size(), 2u);
  EXPECT_EQ(first.moments[1], (Moment{2.5, 9, 7, 8}));
  EXPECT_EQ(first.ratios.at("a").counts.back(), 1u);
}

TEST_F(ReportFacts, HasMismatchesWithSightingsAndCommands) {
  make_database();
  const report::Report all = report();
  ASSERT_EQ(all.mismatches.size(), 2u);
  EXPECT_EQ(all.mismatches[0].row.suspect, "a");
  EXPECT_EQ(all.mismatches[0].repro, "convict repro --target a 'conv2d in=4x4'");
  EXPECT_TRUE(all.mismatches[0].is_new());
  const report::MismatchReport& b = all.mismatches[1];
  EXPECT_EQ(b.row.hits, 5);
  ASSERT_EQ(b.sightings.size(), 2u);
  EXPECT_EQ(b.sightings[0].hits, 2);
  EXPECT_EQ(b.repro, "convict repro --plugin './b c.so' --target b 'conv2d in=3x3'") << "as campaign 2 loaded it";
  EXPECT_TRUE(b.is_new()) << "in version 2";
  EXPECT_EQ(all.signatures.cases, 13u);
  EXPECT_EQ(all.signatures.signatures, 2u);
  EXPECT_EQ(all.signatures.hit_once, 1u);
}

TEST_F(ReportFacts, OfOneCampaignHasNobodyElsesNumbers) {
  make_database();
  const report::Report one = report({}, 1);
  ASSERT_EQ(one.campaigns.size(), 1u);
  EXPECT_EQ(one.campaigns[0].id, 1);
  ASSERT_EQ(one.mismatches.size(), 2u);
  EXPECT_EQ(one.mismatches[1].row.hits, 2);
  EXPECT_EQ(one.mismatches[1].sightings.size(), 1u);
  EXPECT_FALSE(one.mismatches[1].is_new()) << "known in version 1";
  EXPECT_EQ(one.mismatches[1].repro, "convict repro --target b 'conv2d in=3x3'") << "campaign 1 had no plugin";
  EXPECT_EQ(one.signatures.cases, 8u);
  EXPECT_EQ(one.signatures.hit_once, 1u);
  const report::Report two = report({}, 2);
  ASSERT_EQ(two.mismatches.size(), 1u);
  EXPECT_EQ(two.mismatches[0].row.suspect, "b");
  EXPECT_EQ(contains(refusal([this] { report({}, 7); }, path_),
                     "no campaign 7; it has 2 of them, the first one is 1, the last one 2"),
            "");
}

TEST_F(ReportFacts, FiltersMismatchesAndNotTheEstimate) {
  make_database();
  write_sql("UPDATE mismatches SET last_seen = '2020' WHERE id = 1");
  const auto suspects = [this](const store::MismatchFilter& filter) {
    std::string names;
    for (const report::MismatchReport& one : report(filter).mismatches) names += one.row.suspect;
    return names;
  };
  EXPECT_EQ(suspects({}), "ab");
  EXPECT_EQ(suspects({.status = "new"}), "ab");
  EXPECT_EQ(suspects({.status = "known"}), "");
  EXPECT_EQ(suspects({.suspect = "a"}), "a");
  EXPECT_EQ(suspects({.since = "2021"}), "b");
  EXPECT_EQ(suspects({.verdict = "crash"}), "");
  EXPECT_EQ(report({.verdict = "crash"}).signatures.signatures, 2u);
}

TEST_F(ReportFacts, HasTheLastScore) {
  make_database();
  store::Store::open(path_).add_score({"2026-01-01T00:00:00Z", "1", {{"seeds", 2}}, {{"profile", "all"}}});
  EXPECT_EQ(report().score,
            json({{"profile", "all"}, {"written", "2026-01-01T00:00:00Z"}, {"settings", {{"seeds", 2}}}}));
}

TEST_F(ReportFacts, NotesACampaignThatMakesNoSense) {
  make_database();
  write_sql("UPDATE campaigns SET seed = 'seven', flags = '{\"plugins\":[3]}' WHERE id = 2");
  write_sql("UPDATE campaigns SET counts = '{\"cases\":\"many\"}', flags = '{\"plugins\":3}' WHERE id = 1");
  const report::Report all = report();
  ASSERT_EQ(all.notes.size(), 1u);
  EXPECT_EQ(contains(all.notes[0], "campaign 2 is damaged (the seed is not a number)"), "");
  ASSERT_EQ(all.campaigns.size(), 1u);
  EXPECT_EQ(all.signatures.cases, 0u);
  EXPECT_EQ(all.mismatches[1].repro, "convict repro --target b 'conv2d in=3x3'");
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// What people say about mismatches, for which versions it holds, and which rows a listing shows.
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

store::CampaignInfo with_versions(const nlohmann::json& libraries) {
  store::CampaignInfo info;
  info.libraries = libraries;
  return info;
}

TEST_F(StoreTest, TriagesAllRowsOrNone) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  store.record(campaign, wrong("conv2d in=4x4"));
  store.record(campaign, wrong("conv1d in=4"));
  EXPECT_EQ(contains(refusal(
                         [&] {
                           store.triage({{1, {.status = "known"}}, {9, {.status = "known"}}});
                         },
                         path_),
                     "no mismatch 9"),
            "");
  EXPECT_EQ(store.mismatch(1)->status, "new");
  store.triage(
      {{1, {.status = "reported", .link = "https://example.org/1", .note = "mine"}}, {2, {.status = "known"}}});
  store.triage({{1, {.status = "wontfix", .note = "other"}}});
  const store::MismatchRow row = *store.mismatch(1);
  EXPECT_EQ(row.status + " " + row.link + " " + row.note, "wontfix https://example.org/1 other");
  EXPECT_EQ(row.triaged.size(), 20u);
  EXPECT_EQ(store.mismatch(2)->status, "known");
  EXPECT_EQ(contains(refusal([&] { store.triage({{1, {.status = "done"}}}); }, path_), "CHECK"), "");
}

TEST_F(StoreTest, WhatIsKnownForSomeVersionsIsNewInOthers) {
  store::Store store = store::Store::open(path_);
  const int64_t old = store.begin_campaign(with_versions({{"onednn", "2.6.3"}, {"direct", "1"}}));
  const int64_t id = store.record(old, wrong("conv2d in=4x4", "onednn")).id;
  const auto status_in = [&](const nlohmann::json& libraries) {
    return store.record(store.begin_campaign(with_versions(libraries)), wrong("conv2d in=4x4", "onednn")).status;
  };
  for (const char* status : {"known", "reported", "wontfix"}) {
    store.triage({{id, {.status = status, .versions = {{"onednn", "2.6.3"}}}}});
    EXPECT_EQ(status_in({{"onednn", "3.7.2"}, {"direct", "1"}}), "new") << status;
    EXPECT_EQ(store.mismatch(id)->status_text(), fmt::format("new ({} for onednn 2.6.3)", status));
    EXPECT_EQ(store.mismatches({.status = "new"}).size(), 1u);
    EXPECT_TRUE(store.mismatches({.status = status}).empty());
    EXPECT_EQ(status_in({{"onednn", "2.6.3"}, {"direct", "9"}}), status) << "versions that are not named do not matter";
    EXPECT_EQ(status_in({{"direct", "9"}}), status) << "nor do those that did not run";
    EXPECT_EQ(store.mismatch(id)->status_text(), status);
    store.triage({{id, {.status = status}}});
    EXPECT_EQ(status_in({{"onednn", "3.7.2"}}), status) << "without versions it holds for all";
  }
  store.triage({{id, {.status = "fixed", .versions = {{"onednn", "2.6.3"}}}}});
  EXPECT_EQ(status_in({{"onednn", "3.7.2"}}), "fixed");
}

TEST_F(StoreTest, KnowsWhichVersionsRan) {
  store::Store store = store::Store::open(path_);
  store.begin_campaign(with_versions({{"onednn", "2.6.3"}}));
  store.begin_campaign(with_versions({{"onednn", "3.7.2"}, {"direct", "1"}}));
  EXPECT_EQ(store.versions(),
            (std::map<std::string, std::set<std::string>>{{"direct", {"1"}}, {"onednn", {"2.6.3", "3.7.2"}}}));
}

TEST_F(StoreTest, TellsTheCampaignsThatSawAMismatch) {
  store::Store store = store::Store::open(path_);
  const int64_t one = store.begin_campaign({.seed = 5, .profile = "smoke"});
  const int64_t two = store.begin_campaign({.seed = 6, .profile = "all"});
  for (const int64_t campaign : {one, two, two}) store.record(campaign, wrong("conv2d in=4x4"));
  const auto sightings = store.sightings(1);
  ASSERT_EQ(sightings.size(), 2u);
  EXPECT_EQ(fmt::format("{} {} {}", sightings[0].hits, sightings[0].seed, sightings[0].profile), "1 5 smoke");
  EXPECT_EQ(fmt::format("{} {} {}", sightings[1].hits, sightings[1].seed, sightings[1].profile), "2 6 all");
}

TEST_F(StoreTest, ListsByEveryFilter) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (const char* line : {"conv2d in=4x4", "conv_transpose2d in=4x4", "conv2d.backward_data in=4x4", "conv1d in=4"})
    store.record(campaign, wrong(line));
  Mismatch crash = wrong("conv2d in=4x4");
  crash.verdict = Verdict::kCrash;
  store.record(campaign, crash);
  const auto ids = [&](const store::MismatchFilter& filter) {
    std::vector<int64_t> list;
    for (const store::MismatchRow& row : store.mismatches(filter)) list.push_back(row.id);
    return list;
  };
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(ids({.verdict = "crash"}), Ids{5});
  EXPECT_EQ(ids({.operation = "conv2d"}), (Ids{1, 3, 5}));
  EXPECT_EQ(ids({.operation = "conv_transpose2d"}), Ids{2});
  EXPECT_EQ(ids({.operation = "conv"}).size(), 5u);
  EXPECT_EQ(ids({.operation = "%"}), Ids{});
  EXPECT_EQ(ids({.operation = "conv2d", .limit = 2}), (Ids{1, 3}));
  EXPECT_EQ(ids({.limit = 0}), Ids{});
  write_sql(
      "UPDATE mismatches SET first_seen = '2026-01-0' || id || 'T12:00:00Z', last_seen = '2026-01-0' || (id + 1) "
      "|| 'T12:00:00Z'");
  EXPECT_EQ(ids({.since = "2026-01-05T00:00:00Z"}), (Ids{4, 5}));
  EXPECT_EQ(ids({.until = "2026-01-02T23:59:59Z"}), (Ids{1, 2}));
  EXPECT_EQ(ids({.since = "2026-01-03T00:00:00Z", .until = "2026-01-02T23:59:59Z"}), Ids{2});
}

/// The row of a signature that nothing explains has the simplest cases, whether or not it is full.
TEST_F(StoreTest, KeepsTheSimplestCasesWhateverTheOrder) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (int i = 0; i < 50; ++i) store.record(campaign, wrong(fmt::format("conv2d in={}x4", 4 + i * 37 % 50)));
  EXPECT_EQ(query("SELECT count(*) || ' ' || max(cost) FROM cases"), "32 140.0");
  store.record(campaign, wrong("conv2d in=4x4"));
  EXPECT_EQ(query("SELECT hits FROM cases WHERE case_text = 'conv2d in=4x4'"), "2");
  EXPECT_EQ(query("SELECT hits || ' ' || (SELECT sum(hits) FROM sightings) FROM mismatches"), "51 51");
}

TEST_F(StoreTest, CanBeMovedWhileStatementsAreCompiled) {
  store::Store store = store::Store::open(path_);
  store.record(store.begin_campaign({}), wrong("conv2d in=4x4"));
  store = store::Store::open(path_);
  store::Store other = std::move(store);
  EXPECT_EQ(other.mismatches().size(), 1u);
}

}  // namespace
}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// Every hit counts once, for the campaign that had it, however many campaigns share a row, whoever explains it, and
// however databases are merged.
#include <memory>

#include "core/predicate.h"
#include "core/random.h"
#include "store/store.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

class HitsTest : public StoreTest {
 protected:
  static store::RowExplanation explanation(const std::string& line, const std::string& predicate) {
    return {
        .case_text = line, .geography = "everywhere", .predicate = predicate};
  }

  /// Hits of each campaign over all rows, in the order of the campaigns: "66 66 66".
  std::string by_campaign(const std::string& name) const {
    SQLite::Database db(path(name), SQLite::OPEN_READWRITE, 1000);
    return db
        .execAndGet(
            "SELECT group_concat(hits, ' ') FROM (SELECT sum(hits) AS hits FROM sightings s JOIN campaigns c "
            "ON c.id = s.campaign GROUP BY c.id ORDER BY c.seed)")
        .getString();
  }
  /// Hits of each row, by signature.
  std::string by_row(const std::string& name) const {
    SQLite::Database db(path(name), SQLite::OPEN_READWRITE, 1000);
    return db
        .execAndGet(
            "SELECT group_concat(signature || ' ' || hits, ', ') FROM (SELECT * FROM mismatches ORDER BY "
            "signature)")
        .getString();
  }
};

TEST_F(HitsTest, AnExplanationGivesThemBackToTheirCampaigns) {
  store::Store store = store::Store::open(path_);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const int64_t campaign = store.begin_campaign({.seed = seed});
    for (int i = 0; i < 6; ++i) store.record(campaign, wrong("conv2d in=4x4"));
    for (int i = 0; i < 5; ++i) store.record(campaign, wrong("conv2d in=6x6 s=2"));
    store.record(campaign, wrong("conv2d in=7x7 s=2"));
  }
  EXPECT_EQ(by_campaign("convict.db"), "12 12 12");
  store.explain(1, explanation("conv2d in=4x4", "s <= 1"));
  EXPECT_EQ(by_campaign("convict.db"), "12 12 12");
  EXPECT_EQ(query("SELECT group_concat(hits) FROM mismatches"), "18,18");
  EXPECT_EQ(query("SELECT group_concat(hits) FROM sightings"), "6,6,6,6,6,6");
  EXPECT_EQ(query("SELECT sum(hits) FROM seen"), "36");
}

/// Of hits that nothing explains, each campaign keeps the simplest cases, and the number of all.
TEST_F(HitsTest, ThoseWithoutACaseGoWhereTheOthersGo) {
  store::Store store = store::Store::open(path_);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const int64_t campaign = store.begin_campaign({.seed = seed});
    for (int i = 40; i > 0; --i) store.record(campaign, wrong(fmt::format("conv2d in={}x4", 3 + i)));
  }
  EXPECT_EQ(query("SELECT count(DISTINCT case_text) || ' ' || max(cost) FROM cases"), "32 140.0");
  store.explain(1, explanation("conv2d in=4x4", "in <= 11"));
  EXPECT_EQ(by_campaign("convict.db"), "40 40 40");
  EXPECT_EQ(query("SELECT hits FROM mismatches WHERE predicate <> ''"), "120") << "the other axis is 4";
  store.explain(1, explanation("conv2d in=4x4", "in >= 4"));
  EXPECT_EQ(query("SELECT count(*) FROM mismatches"), "1") << "it was explained";
}

/// A condition that the shrunk case meets, and not the case that was shrunk, is that of another bug: it gets none of
/// the hits, and they stay with their own row. What was learnt is there for those to come.
TEST_F(HitsTest, WhatAConditionDoesNotCoverIsNotItsRows) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (const char* line : {"conv2d in=9x9 oc=2 s=2", "conv2d in=8x8 oc=3 s=2"}) store.record(campaign, wrong(line));
  store::RowExplanation slipped = explanation("conv2d oc=3 in=8x8 s=2x2", "oc <= 1");
  slipped.shrunk_text = "conv2d in=1x1";
  EXPECT_EQ(store.explain(1, slipped), 1);
  EXPECT_EQ(by_row("convict.db"), "direct|wrong-exact|conv2d 1, direct|wrong-exact|conv2d|everywhere| 1");
  EXPECT_EQ(store.mismatch(1)->predicate, "");
  EXPECT_TRUE(store.mismatch(1)->is_explained());
  EXPECT_EQ(contains(store.mismatch(1)->explanation.value().withheld, "'oc <= 1'"), "");
  const store::Recorded covered = store.record(campaign, wrong("conv2d in=3x3"));
  EXPECT_TRUE(covered.explained);
  EXPECT_EQ(store.mismatch(covered.id)->predicate, "oc <= 1");
  EXPECT_EQ(store.mismatch(covered.id)->shrunk_text, "conv2d in=1x1");
  for (const store::MismatchRow& row : store.mismatches())
    EXPECT_TRUE(row.predicate.empty() || Predicate::parse(row.predicate).holds(parse_case(row.case_text)));
}

/// A bug with simpler cases does not hide another one: what its rule does not cover is kept apart.
TEST_F(HitsTest, WhatIsLeftWhenTheFirstIsExplainedIsKept) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (int i = 0; i < 100; ++i) store.record(campaign, wrong(fmt::format("conv2d in={}x4", 4 + i)));
  store.explain(1, explanation("conv2d in=4x4", "s <= 1"));
  EXPECT_EQ(query("SELECT hits FROM mismatches"), "100");
  store.record(campaign, wrong("conv2d in=900x900 s=2"));
  EXPECT_EQ(by_row("convict.db"), "direct|wrong-exact|conv2d 1, direct|wrong-exact|conv2d|everywhere|s <= 1 100");
  store.explain(2, explanation("conv2d in=900x900 s=2x2", "s >= 2"));
  EXPECT_EQ(by_row("convict.db"),
            "direct|wrong-exact|conv2d|everywhere|s <= 1 100, direct|wrong-exact|conv2d|everywhere|s >= 2 1");
}

/// Two processes explain: what the other one has learnt counts from then on.
TEST_F(HitsTest, ARuleOfAnotherProcessCounts) {
  store::Store one = store::Store::open(path_), other = store::Store::open(path_);
  const int64_t campaign = one.begin_campaign({});
  one.record(campaign, wrong("conv2d in=4x4"));
  other.explain(1, explanation("conv2d in=4x4", "s <= 1"));
  EXPECT_TRUE(one.record(campaign, wrong("conv2d in=5x5")).explained);
}

/// What a process of a campaign does: records hits, and explains what is not explained.
void take_part(store::Store& store, uint64_t seed, int hits) {
  Random random(seed, 0);
  const int64_t campaign = store.begin_campaign({.seed = seed});
  for (int i = 0; i < hits; ++i) {
    const auto stride = random.between(1, 3), size = random.between(4, 9);
    store.record(campaign, wrong(fmt::format("conv2d in={0}x{0} s={1}", size, stride)));
    if (i % 11 != 10) continue;
    for (const store::MismatchRow& row : store.mismatches()) {
      if (row.is_explained()) continue;
      const Case c = parse_case(row.case_text);
      const std::string predicate = fmt::format("s = {}", c.stride[0]);
      store.explain(row.id, {.case_text = row.case_text,
                             .geography = "everywhere",
                             .predicate = predicate});
    }
  }
}

TEST_F(HitsTest, OfSeveralProcessesOnOneDatabase) {
  constexpr int kProcesses = 4, kHits = 66;
  create();
  std::vector<std::unique_ptr<Child>> children;
  for (uint64_t seed = 1; seed <= kProcesses; ++seed)
    children.push_back(std::make_unique<Child>([this, seed](int output) {
      try {
        store::Store store = store::Store::open(path_, std::chrono::hours(1));
        take_part(store, seed, kHits);
        send(output, "done");
      } catch (const std::exception& error) {
        send(output, error.what());
      }
    }));
  for (const auto& child : children) EXPECT_EQ(child->read_all(), "done");
  EXPECT_EQ(by_campaign("convict.db"), "66 66 66 66");
  EXPECT_EQ(query("SELECT sum(hits) FROM mismatches"), "264");
}

/// Each shard explains what it has found, and the first one is merged twice, at different times.
TEST_F(HitsTest, OfMergedShardsAreThoseOfOneDatabase) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    store::Store store = store::Store::open(path(fmt::format("shard{}", seed)));
    take_part(store, seed, 66);
  }
  fs::copy_file(path("shard1"), path("earlier"));
  {
    store::Store store = store::Store::open(path("shard1"));
    for (int i = 0; i < 10; ++i) store.record(1, wrong("conv2d in=5x5 k=2"));
  }
  store::merge_databases(path("all"),
                         {path("shard1"), path("shard2"), path("shard3"), path("shard4"), path("earlier")});
  EXPECT_EQ(by_campaign("all"), "76 66 66 66");
  store::Store whole = store::Store::open(path("one"));
  for (uint64_t seed = 1; seed <= 4; ++seed) take_part(whole, seed, 66);
  for (int i = 0; i < 10; ++i) whole.record(1, wrong("conv2d in=5x5 k=2"));
  EXPECT_EQ(by_row("all"), by_row("one"));
}

TEST_F(HitsTest, OfARowThatIsExplainedAfterAMerge) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    store::Store store = store::Store::open(path(fmt::format("shard{}", seed)));
    const int64_t campaign = store.begin_campaign({.seed = seed});
    for (int i = 0; i < 7; ++i) store.record(campaign, wrong(i % 2 == 0 ? "conv2d in=4x4" : "conv2d in=4x4 s=2"));
  }
  store::merge_databases(path("all"), {path("shard1"), path("shard2"), path("shard3")});
  store::Store::open(path("all")).explain(1, explanation("conv2d in=4x4", "s <= 1"));
  EXPECT_EQ(by_campaign("all"), "7 7 7");
  EXPECT_EQ(by_row("all"), "direct|wrong-exact|conv2d 9, direct|wrong-exact|conv2d|everywhere|s <= 1 12");
}

}  // namespace
}  // namespace convict::test

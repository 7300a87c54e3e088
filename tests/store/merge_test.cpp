// SPDX-License-Identifier: Apache-2.0
//
// Merging databases: the result says the same whatever the order of the inputs and however often they are merged.
#include "store/store.h"

#include <algorithm>
#include <set>

#include "core/cause.h"
#include "core/random.h"
#include "store/schema.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

class MergeTest : public StoreTest {
 protected:
  /// All that a database says, without ids: rows as text, sorted.
  std::string dump(const std::string& name) const {
    SQLite::Database db(path(name), SQLite::OPEN_READWRITE, 1000);
    std::multiset<std::string> rows;
    for (const char* query :
         {"SELECT 'campaign', uuid, seed, profile, flags, libraries, isa, convict_version, counts, state, started, "
          "updated, ended, focus, done, ratios FROM campaigns",
          "SELECT 'moment', uuid, m.seconds, m.cases, pairs, triples FROM moments m JOIN campaigns c ON c.id = "
          "campaign",
          "SELECT 'score', uuid, written, convict_version, settings, result FROM scores",
          "SELECT 'mismatch', signature, coarse, verdict, suspect, blame, case_text, cost, shrunk_text, certificate, "
          "shrunk_certificate, explanation, geography, predicate, m.first_seen, last_seen, hits, status, link, note, "
          "triaged, versions, gone, gone_at, f.uuid, l.uuid FROM mismatches m "
          "JOIN campaigns f ON f.id = first_campaign "
          "JOIN campaigns l ON l.id = last_campaign",
          "SELECT 'sighting', signature, uuid, s.hits, s.first_seen, s.last_seen FROM sightings s "
          "JOIN mismatches m ON m.id = s.mismatch JOIN campaigns c ON c.id = s.campaign",
          "SELECT 'seen', uuid, suspect, operation, verdict, rule, tried, hits, first_seen, last_seen FROM seen "
          "JOIN campaigns c ON c.id = campaign",
          "SELECT 'case', uuid, suspect, operation, verdict, rule, tried, case_text, cost, blame, certificate, hits "
          "FROM cases JOIN campaigns c ON c.id = campaign",
          "SELECT 'learnt', * FROM learnt", "SELECT 'said', * FROM said", "SELECT 'replayed', * FROM replayed",
          "SELECT 'coverage', profile, feature_table, cases, hex(tuples), updated FROM coverage"}) {
      SQLite::Statement select(db, query);
      while (select.executeStep()) {
        std::string row;
        for (int i = 0; i < select.getColumnCount(); ++i) row += select.getColumn(i).getString() + " ; ";
        rows.insert(row);
      }
    }
    EXPECT_EQ(db.execAndGet("SELECT count(*) FROM mismatches m WHERE hits <> (SELECT sum(hits) FROM sightings s "
                            "WHERE s.mismatch = m.id)")
                  .getInt(),
              0);
    return fmt::format("{}", fmt::join(rows, "\n"));
  }

  void merge(const std::string& output, const std::vector<std::string>& inputs) const {
    std::vector<std::string> paths;
    for (const std::string& input : inputs) paths.push_back(path(input));
    store::merge_databases(path(output), paths);
  }
  void copy(const std::string& from, const std::string& to) const { fs::copy_file(path(from), path(to)); }
  store::Store open(const std::string& name) const { return store::Store::open(path(name)); }
  void write(const std::string& name, const std::string& sql) const {
    SQLite::Database(path(name), SQLite::OPEN_READWRITE, 1000).exec(sql);
  }
  int64_t number(const std::string& name, const std::string& sql) const {
    return SQLite::Database(path(name), SQLite::OPEN_READWRITE, 1000).execAndGet(sql).getInt64();
  }

  /// Three databases that went separate ways: b is a copy of a that was settled and triaged, a went on, c is of others.
  void make_three() const {
    int64_t campaign = 0;
    {
      store::Store a = open("a");
      campaign = a.begin_campaign({.seed = 1, .libraries = {{"direct", "1"}}});
      for (const char* line : {"conv2d in=4x4 s=2", "conv2d in=6x6 s=2", "conv2d in=5x5 k=3", "conv1d in=9"})
        a.record(campaign, wrong(line));
      Coverage coverage;
      coverage.add(Levels{});
      a.add_coverage("smoke", coverage);
      a.add_score({"then", "1", {{"of", "a"}}, {{"found", 1}}});
      update(a, campaign, 4);
    }
    copy("a", "b");
    {
      store::Store b = open("b");
      b.explain(1, settled("conv2d in=4x4 s=2x2", "s >= 2", "conv2d in=2x2 s=2x2"));
      b.triage({{1, {.status = "known", .note = "mine"}}});
    }
    {
      store::Store a = open("a");
      a.record(campaign, wrong("conv2d in=7x7 s=2"));
      update(a, campaign, 7);
    }
    store::Store c = open("c");
    const int64_t other = c.begin_campaign({.seed = 2, .libraries = {{"direct", "2"}}});
    for (const char* line : {"conv2d in=3x3 k=3", "conv2d in=8x8 s=3", "conv3d in=2"}) c.record(other, wrong(line));
    update(c, other, 3);
    c.add_score({"later", "1", {{"of", "c"}}, {{"found", 2}}});
    Coverage coverage;
    Levels levels{};
    levels[0] = 1;
    coverage.add(levels);
    coverage.add(levels);
    c.add_coverage("smoke", coverage);
    c.add_coverage("all", coverage);
  }

  /// With as many moments, and as many ratios, as cases.
  static void update(store::Store& store, int64_t campaign, uint64_t cases) {
    Intervals done;
    done.add(0, cases);
    Timeline timeline;
    Ratios ratios;
    for (uint64_t i = 1; i <= cases; ++i) {
      timeline.add({static_cast<double>(i), i, 0, 0});
      ratios["direct"].add(0.5);
    }
    store.update_campaign(campaign, {{"cases", cases}}, store::CampaignState::kRunning, {{done}, timeline, ratios});
  }

  static store::RowExplanation settled(const std::string& line, const std::string& predicate,
                                       const std::string& shrunk) {
    Certificate certificate;
    certificate.text = "shrunk";
    return {line, shrunk, certificate, "everywhere", predicate, {.text = "by hand"}};
  }
};

TEST_F(MergeTest, DoesNotDependOnTheOrderOrOnHowOften) {
  make_three();
  merge("abc", {"a", "b", "c"});
  const std::string expected = dump("abc");
  std::vector<std::string> order = {"a", "b", "c"};
  int i = 0;
  do {
    const std::string output = fmt::format("out{}", i++);
    merge(output, order);
    EXPECT_EQ(dump(output), expected) << fmt::format("{}", fmt::join(order, " "));
    merge(output, order);
    merge(output, {order[1]});
    EXPECT_EQ(dump(output), expected) << "twice, " << fmt::format("{}", fmt::join(order, " "));
    copy(order[0], output + "in");  // into one of them
    merge(output + "in", {order[2], order[1]});
    EXPECT_EQ(dump(output + "in"), expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(MergeTest, IsAssociative) {
  make_three();
  merge("abc", {"a", "b", "c"});
  for (const auto& [first, second, third] :
       std::vector<std::array<std::string, 3>>{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "c", "a"}}) {
    const std::string two = first + second, left = two + "_" + third, right = third + "_" + two;
    merge(two, {first, second});
    merge(left, {two, third});
    merge(right, {third, two});
    EXPECT_EQ(dump(left), dump("abc")) << left;
    EXPECT_EQ(dump(right), dump("abc")) << right;
  }
}

TEST_F(MergeTest, DoesNotDoubleWhatWasSettledMeanwhile) {
  make_three();
  merge("ab", {"a", "b"});
  // Of four conv2d hits, the explanation of b covers three, also one that came to a later; k=3 is another one.
  EXPECT_EQ(number("ab", "SELECT sum(hits) FROM mismatches WHERE coarse LIKE '%conv2d'"), 4);
  EXPECT_EQ(number("ab", "SELECT hits FROM mismatches WHERE predicate = 's >= 2'"), 3);
  EXPECT_EQ(number("ab", "SELECT hits FROM mismatches WHERE signature = 'direct|wrong-exact|conv2d'"), 1);
  EXPECT_EQ(number("ab", "SELECT count(*) FROM campaigns"), 1);
  EXPECT_EQ(number("ab", "SELECT counts ->> 'cases' FROM campaigns"), 7);
  EXPECT_EQ(open("ab").mismatches({.status = "known"}).at(0).note, "mine");
}

TEST_F(MergeTest, ACampaignIsAsFarAsItsLatestCopyAndScoresAreAllThere) {
  make_three();
  merge("out", {"a", "b", "c"});
  EXPECT_EQ(number("out", "SELECT count(*) FROM moments JOIN campaigns c ON c.id = campaign WHERE seed = '1'"), 7);
  EXPECT_EQ(number("out", "SELECT ratios ->> '$.direct[31]' FROM campaigns WHERE seed = '1'"), 7);
  EXPECT_EQ(number("out", "SELECT count(*) FROM moments"), 7 + 3);
  ASSERT_EQ(number("out", "SELECT count(*) FROM scores"), 2);
  EXPECT_EQ(open("out").last_score()->result, nlohmann::json({{"found", 1}})) << "'then' sorts after 'later'";
}

TEST_F(MergeTest, ARowThatIsAllExplainedElsewhereKeepsItsNumber) {
  {
    store::Store a = open("a");
    a.record(a.begin_campaign({}), wrong("conv2d in=4x4 s=2"));
  }
  copy("a", "b");
  open("b").explain(1, settled("conv2d in=4x4 s=2x2", "s >= 2", "conv2d in=2x2 s=2x2"));
  open("a").triage({{1, {.status = "reported", .link = "https://example.org/1"}}});
  merge("a", {"b"});
  const auto rows = open("a").mismatches();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].id, 1);
  EXPECT_EQ(rows[0].predicate, "s >= 2");
  EXPECT_EQ(rows[0].status, "reported");
  merge("ba", {"b", "a"});
  EXPECT_EQ(dump("ba"), dump("a"));
}

TEST_F(MergeTest, TheLaterTriageAndTheSimplestShrunkCaseWin) {
  for (const char* name : {"a", "b"}) {
    store::Store store = open(name);
    store.record(store.begin_campaign({}), wrong("conv2d in=4x4 s=2"));
    const bool simpler = std::string(name) == "b";
    store.explain(1, settled("conv2d in=4x4 s=2x2", "s >= 2", simpler ? "conv2d in=2x2 s=2x2" : "conv2d in=3x3 s=2x2"));
    store.triage({{1, {.status = simpler ? "known" : "wontfix"}}});
  }
  write("a", "UPDATE mismatches SET triaged = '2030-01-01T00:00:00Z'");
  for (const std::vector<std::string>& order : {std::vector<std::string>{"a", "b"}, {"b", "a"}}) {
    merge(order[0] + "first", order);
    const store::MismatchRow row = open(order[0] + "first").mismatches().at(0);
    EXPECT_EQ(row.status, "wontfix");
    EXPECT_EQ(row.shrunk_text, "conv2d in=2x2 s=2x2");
    EXPECT_EQ(row.hits, 2);
  }
}

TEST_F(MergeTest, WhatOthersWroteIntoAnInputCounts) {
  {
    store::Store a = open("a");
    a.record(a.begin_campaign({}), wrong("conv2d in=4x4 s=2"));
  }
  write("a", "UPDATE mismatches SET status = 'wontfix', note = 'by hand'");
  merge("all", {"a"});
  const store::MismatchRow row = open("all").mismatches().at(0);
  EXPECT_EQ(row.status, "wontfix");
  EXPECT_EQ(row.note, "by hand");
}

TEST_F(MergeTest, CoverageIsTheLargerCountOfEachCombination) {
  make_three();
  merge("out", {"a", "c", "a", "c"});
  Coverage expected = open("a").coverage("smoke").coverage;
  expected.unite(open("c").coverage("smoke").coverage);
  const Coverage merged = open("out").coverage("smoke").coverage;
  EXPECT_EQ(merged.serialise(), expected.serialise());
  EXPECT_EQ(merged.cases(), 2u);
  EXPECT_GT(merged.seen(), open("a").coverage("smoke").coverage.seen());
}

TEST_F(MergeTest, CoverageOfAnotherFeatureTableGivesWay) {
  make_three();
  write("a", "UPDATE coverage SET feature_table = 'ffff'");
  for (const std::vector<std::string>& order : {std::vector<std::string>{"a", "c"}, {"c", "a"}}) {
    merge(order[0] + "first", order);
    EXPECT_EQ(open(order[0] + "first").coverage("smoke").coverage.cases(), 2u);
  }
}

TEST_F(MergeTest, ConvertsOldInputsWithoutWritingToThem) {
  {
    SQLite::Database db(path("old"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec(fmt::format("PRAGMA application_id = {}", store::kApplicationId));
    db.exec(store::kOldSchema);
    db.exec(R"(INSERT INTO campaigns (seed, profile, flags, libraries, isa, convict_version, started, updated, uuid)
               VALUES ('7', 'smoke', '{}', '{}', 'avx2', '0.1.0', 'then', 'then', 'abc');
               INSERT INTO mismatches (signature, coarse, operation, verdict, suspect, blame, case_text, cost,
                                       certificate, first_seen, last_seen, hits, first_campaign, last_campaign, note)
               VALUES ('direct|crash|conv2d', 'direct|crash|conv2d', 'conv2d', 'crash', 'direct', 'target',
                       'conv2d in=4x4', 16, '{}', 'then', 'then', 5, 1, 1, 'mine');
               INSERT INTO sightings VALUES (1, 1, 5, 'then', 'then');
               INSERT INTO candidates VALUES (1, 'conv2d in=4x4', 1, 16, 'target', '{}', 2);)");
  }
  copy("old", "old_output");
  const std::string before = files().at("old");
  merge("out", {"old"});
  merge("out", {"old"});
  EXPECT_EQ(files().at("old"), before);
  EXPECT_FALSE(files().contains("old-wal"));
  EXPECT_EQ(number("out", "SELECT hits FROM mismatches"), 5);
  EXPECT_EQ(open("out").mismatches().at(0).note, "mine");
  merge("old_output", {"old"});  // converted in place; it is the same campaign
  EXPECT_EQ(number("old_output", "PRAGMA user_version"), store::kSchemaVersion);
  EXPECT_EQ(dump("old_output"), dump("out"));
}

TEST_F(MergeTest, ReadsWhatAKilledCampaignLeftInTheLog) {
  {
    Child killed([this](int output) {
      store::Store store = open("a");
      store.record(store.begin_campaign({}), wrong("conv2d in=4x4"));
      send(output, "recorded");
      pause();
    });
    ASSERT_EQ(killed.read_some(), "recorded");
    merge("live", {"a"});  // while it is open
    killed.kill();
    killed.read_all();
  }
  const std::string database = files().at("a"), log = files().at("a-wal");
  ASSERT_FALSE(log.empty());
  merge("out", {"a"});
  EXPECT_EQ(open("out").mismatches().size(), 1u);
  EXPECT_EQ(open("live").mismatches().size(), 1u);
  EXPECT_EQ(files().at("a"), database);
  EXPECT_EQ(files().at("a-wal"), log);
}

TEST_F(MergeTest, RefusesBeforeAnythingIsWritten) {
  make_three();
  std::ofstream(path("text")) << "no database\n";
  std::ofstream(path("empty"));
  copy("a", "damaged");
  fs::resize_file(path("damaged"), fs::file_size(path("damaged")) / 2);
  copy("a", "tables");
  write("tables", "DROP TABLE sightings");
  copy("a", "newer");
  write("newer", "PRAGMA user_version = 99");
  merge("out", {"a"});
  const auto before = files();
  for (const char* bad : {"text", "empty", "damaged", "tables", "newer", "missing"}) {
    EXPECT_NE(refusal([&] { merge("out", {"c", bad}); }, path(bad)), "not refused") << bad;
    EXPECT_NE(refusal([&] { merge("fresh", {"c", bad}); }, path(bad)), "not refused") << bad;
  }
  EXPECT_THROW(merge("a", {"c", "a"}), UsageError);
  fs::create_symlink(path("a"), path("link"));
  EXPECT_THROW(merge("a", {"c", "link"}), UsageError);
  fs::remove(path("link"));
  EXPECT_EQ(files(), before);
}

TEST_F(MergeTest, KeepsTheSimplestCasesOfEachCampaign) {
  for (int shard = 0; shard < 3; ++shard) {
    store::Store store = open(fmt::format("s{}", shard));
    const int64_t campaign = store.begin_campaign({.seed = static_cast<uint64_t>(shard)});
    for (int i = 0; i < 40; ++i) store.record(campaign, wrong(fmt::format("conv2d in={}x4", 4 + 3 * i + shard)));
  }
  copy("s0", "later");
  for (int i = 0; i < 3; ++i) open("later").record(1, wrong(fmt::format("conv2d in=4x{}", 1 + i)));
  merge("out", {"s0", "s1", "s2", "later"});
  EXPECT_EQ(number("out", "SELECT hits FROM mismatches"), 123);
  EXPECT_EQ(number("out", "SELECT count(*) FROM cases"), 96);
  EXPECT_EQ(number("out", "SELECT min(cost) FROM cases"), 4);
}

/// Of shards that have found, explained and triaged what they liked.
class ShardsTest : public MergeTest {
 protected:
  void make_shards(int count) const {
    for (int shard = 0; shard < count; ++shard) {
      store::Store store = open(name(shard));
      Random random(static_cast<uint64_t>(shard), 7);
      store.know(parse_causes("cause wide\ntitle Wide kernels are wrong\nsuspect direct\nversions 1\nverdicts "
                              "wrong-exact\nwhen k >= " + std::to_string(5 + shard % 2) + "\ncase conv1d in=9 k=9\n",
                              "test"));
      const int64_t campaign =
          store.begin_campaign({.seed = static_cast<uint64_t>(shard), .libraries = {{"direct", "1.0"}}});
      for (int i = 0; i < 60; ++i) {
        const auto line = fmt::format("conv{}d in=9 k={} s={} oc={}", random.between(1, 2), random.between(1, 7),
                                      random.between(1, 3), random.between(1, 40));
        Mismatch hit = wrong(line);
        hit.certificate.text.reset();
        if (random.chance(0.3)) hit.verdict = Verdict::kWrongProven;
        store.record(campaign, hit);
        if (i % 13 == 12) explain_one(store, random);
        if (i % 29 == 28) store.triage({{store.mismatches().back().id, {.status = "known", .note = name(shard)}}});
      }
      store.note_replay(store.mismatches().front().id, store.begin_campaign({.seed = 99}), "direct 2.0");
      store.join_causes();
      store.triage_causes({{store.causes().back().id, {.status = "reported", .link = name(shard)}}});
      update(store, campaign, 60);
    }
    copy(name(0), name(count));  // one of them twice, at different times
    open(name(count)).record(1, wrong("conv2d in=5x5 k=2"));
  }
  static void explain_one(store::Store& store, Random& random) {
    for (const store::MismatchRow& row : store.mismatches()) {
      if (row.is_explained()) continue;
      const Case c = parse_case(row.case_text);
      const std::string predicate =
          random.chance(0.5) ? fmt::format("s = {}", c.stride[0]) : fmt::format("oc <= {}", random.between(1, 40));
      store.explain(row.id, {.case_text = row.case_text,
                             .shrunk_text = row.case_text,
                             .geography = "everywhere",
                             .predicate = predicate});
      return;
    }
  }
  static std::string name(int shard) { return fmt::format("shard{}", shard); }

  /// All that is in the file, numbers included.
  std::string whole(const std::string& file) const {
    SQLite::Database db(path(file), SQLite::OPEN_READWRITE, 1000);
    SQLite::Statement tables(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    std::string text;
    while (tables.executeStep()) {
      SQLite::Statement rows(db, "SELECT * FROM " + tables.getColumn(0).getString());
      while (rows.executeStep()) {
        text += tables.getColumn(0).getString();
        for (int i = 0; i < rows.getColumnCount(); ++i) text += " ; " + rows.getColumn(i).getString();
        text += "\n";
      }
    }
    return text;
  }
  std::string merged(const std::vector<std::string>& order) const {
    merge("out", order);
    std::string text = whole("out");
    for (const char* file : {"out", "out-wal", "out-shm"}) fs::remove(path(file));
    return text;
  }
};

TEST_F(ShardsTest, FourInEachOrderAreOneDatabase) {
  make_shards(3);
  std::vector<std::string> order = {name(0), name(1), name(2), name(3)};
  const std::string expected = merged(order);
  EXPECT_GT(std::ranges::count(expected, '\n'), 100);
  do {
    EXPECT_EQ(merged(order), expected) << fmt::format("{}", fmt::join(order, " "));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(ShardsTest, EightInManyOrdersAreOneDatabase) {
  make_shards(7);
  std::vector<std::string> order;
  for (int shard = 0; shard < 8; ++shard) order.push_back(name(shard));
  const std::string expected = merged(order);
  Random random(1, 1);
  for (int i = 0; i < 12; ++i) {
    for (size_t at = order.size(); at-- > 1;)
      std::swap(order[at], order[static_cast<size_t>(random.between(0, static_cast<int64_t>(at)))]);
    EXPECT_EQ(merged(order), expected) << fmt::format("{}", fmt::join(order, " "));
  }
}

/// One after the other, they have other numbers, and say the same.
TEST_F(ShardsTest, EightStepByStepSayTheSame) {
  make_shards(7);
  merge("all", {name(0), name(1), name(2), name(3), name(4), name(5), name(6), name(7)});
  for (const bool backwards : {false, true}) {
    const std::string output = backwards ? "down" : "up";
    for (int i = 0; i < 8; ++i) merge(output, {name(backwards ? 7 - i : i)});
    EXPECT_EQ(dump(output), dump("all")) << output;
  }
}

/// Whoever has which of the hits follows from what is in the file, and from nothing else.
TEST_F(ShardsTest, RowsAreWhatFollowsFromTheFacts) {
  make_shards(3);
  for (int shard = 0; shard < 3; ++shard) {
    merge("again", {name(shard)});
    EXPECT_EQ(dump("again"), dump(name(shard))) << shard;
    for (const char* file : {"again", "again-wal", "again-shm"}) fs::remove(path(file));
  }
}

}  // namespace
}  // namespace convict::test

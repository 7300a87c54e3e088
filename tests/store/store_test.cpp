// SPDX-License-Identifier: Apache-2.0
//
// What the database keeps: campaigns, mismatches once per signature, and its own schema.
#include <algorithm>

#include "store/schema.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

TEST_F(StoreTest, CreatesAndReopens) {
  create(1);
  EXPECT_EQ(store::Store::open(path_).mismatches().size(), 1);
}

TEST_F(StoreTest, MarksTheFileAsOurs) {
  create();
  EXPECT_EQ(query("PRAGMA user_version"), std::to_string(store::kSchemaVersion));
  EXPECT_EQ(query("PRAGMA application_id"), std::to_string(store::kApplicationId));
  EXPECT_EQ(query("PRAGMA journal_mode"), "wal");
}

TEST_F(StoreTest, TakesAnEmptyFileForANewDatabase) {
  std::ofstream{path_};
  create(1);
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
}

TEST_F(StoreTest, DoesNotTakeANameForAnUri) {
  const fs::path here = fs::current_path();
  fs::current_path(directory_);
  store::Store::open("file:other.db?mode=memory");
  fs::current_path(here);
  EXPECT_TRUE(fs::exists(path("file:other.db?mode=memory")));
}

TEST_F(StoreTest, KeepsACampaign) {
  store::Store store = store::Store::open(path_);
  const int64_t id = store.begin_campaign({.seed = ~uint64_t{0},
                                           .profile = "smoke",
                                           .flags = {{"jobs", 2}},
                                           .libraries = {{"onednn", "2.6.3"}},
                                           .isa = "avx2",
                                           .version = "0.1.0"});
  EXPECT_EQ(query("SELECT seed || profile || flags || libraries || isa || convict_version || state FROM campaigns"),
            R"(18446744073709551615smoke{"jobs":2}{"onednn":"2.6.3"}avx20.1.0running)");
  store.update_campaign(id, {{"passed", 7}}, store::CampaignState::kRunning);
  EXPECT_EQ(query("SELECT counts || (ended IS NULL) FROM campaigns"), R"({"passed":7}1)");
  store.update_campaign(id, {{"passed", 8}}, store::CampaignState::kFinished);
  EXPECT_EQ(query("SELECT state || (ended >= started) FROM campaigns"), "finished1");
}

TEST_F(StoreTest, KeepsAMismatch) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  const int64_t id = store.record(campaign, wrong("conv_transpose2d in=2x3 k=2 s=2x1 op=1x0 seed=7")).id;
  const store::MismatchRow row = store.mismatch(id).value();
  EXPECT_EQ(row.signature, "direct|wrong-exact|conv_transpose2d");
  EXPECT_EQ(row.verdict + " " + row.suspect + " " + row.blame, "wrong-exact direct target");
  EXPECT_EQ(row.case_text, "conv_transpose2d in=2x3 k=2x2 s=2x1 op=1x0 seed=7");
  EXPECT_EQ(row.cost, 24);
  EXPECT_EQ(row.shrunk_text, std::nullopt);
  EXPECT_EQ(row.certificate["text"], "conv_transpose2d in=2x3 k=2 s=2x1 op=1x0 seed=7");
  EXPECT_EQ(row.first_seen.size(), std::string("2023-06-10T12:34:56Z").size());
  EXPECT_EQ(row.first_seen, row.last_seen);
  EXPECT_EQ(row.status + row.link + row.note, "new");
  EXPECT_EQ(row.first_campaign, campaign);
}

TEST_F(StoreTest, KnowsNoOtherMismatch) { EXPECT_EQ(store::Store::open(path_).mismatch(1), std::nullopt); }

TEST_F(StoreTest, CountsHitsOfOneSignature) {
  store::Store store = store::Store::open(path_);
  const int64_t first = store.begin_campaign({}), second = store.begin_campaign({});
  const store::Recorded once = store.record(first, wrong("conv2d in=4x4"));
  const store::Recorded twice = store.record(second, wrong("conv2d in=5x5"));
  EXPECT_TRUE(once.first_ever);
  EXPECT_FALSE(twice.first_ever);
  EXPECT_EQ(once.id, twice.id);
  const store::MismatchRow row = store.mismatches().at(0);
  EXPECT_EQ(row.hits, 2);
  EXPECT_EQ(row.first_campaign, first);
  EXPECT_EQ(row.last_campaign, second);
}

TEST_F(StoreTest, NumbersSignaturesWithoutGaps) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (int i = 0; i < 3; ++i) store.record(campaign, wrong("conv2d in=4x4"));
  EXPECT_EQ(store.record(campaign, wrong("conv1d in=4")).id, 2);
}

TEST_F(StoreTest, ShowsTheSimplestCaseWhateverTheOrder) {
  // Fewest multiply-adds, then the shortest line, then the order of text; the last is the answer.
  std::vector<std::string> lines = {"conv2d in=9x9", "conv2d in=4x4 seed=10", "conv2d in=4x4 seed=3",
                                    "conv2d in=4x4 seed=2"};
  const std::string simplest = lines.back();
  std::sort(lines.begin(), lines.end());
  do {
    fs::remove(path_);
    store::Store store = store::Store::open(path_);
    const int64_t campaign = store.begin_campaign({});
    for (const std::string& line : lines) store.record(campaign, wrong(line));
    const store::MismatchRow row = store.mismatches().at(0);
    EXPECT_EQ(row.case_text, simplest);
    EXPECT_EQ(row.certificate["text"], simplest);
    EXPECT_EQ(row.cost, 16);
  } while (std::next_permutation(lines.begin(), lines.end()));
}

TEST_F(StoreTest, ShowsTheSameCertificateWhateverTheOrder) {
  Mismatch one = wrong("conv2d in=4x4"), other = one;
  one.certificate.text = "1";
  other.certificate.text = "2";
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (const Mismatch& mismatch : {other, one, other}) store.record(campaign, mismatch);
  EXPECT_EQ(store.mismatches().at(0).certificate, to_json(one.certificate));
}

TEST_F(StoreTest, KeepsWhatPeopleWrote) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  store.record(campaign, wrong("conv2d in=5x5"));
  write_sql("UPDATE mismatches SET status = 'reported', link = 'https://example.org/1', note = 'mine'");
  EXPECT_EQ(store.record(campaign, wrong("conv2d in=4x4")).status, "reported");
  const store::MismatchRow row = store.mismatches().at(0);
  EXPECT_EQ(row.case_text, "conv2d in=4x4");
  EXPECT_EQ(row.status + " " + row.link + " " + row.note, "reported https://example.org/1 mine");
}

TEST_F(StoreTest, ListsByStatusAndSuspect) {
  store::Store store = store::Store::open(path_);
  const int64_t campaign = store.begin_campaign({});
  for (const char* suspect : {"direct", "onednn", "winograd"}) store.record(campaign, wrong("conv2d in=4x4", suspect));
  write_sql("UPDATE mismatches SET status = 'known' WHERE suspect = 'onednn'");
  EXPECT_EQ(store.mismatches().size(), 3);
  EXPECT_EQ(store.mismatches({.status = "new"}).size(), 2);
  EXPECT_EQ(store.mismatches({.suspect = "onednn"}).size(), 1);
  EXPECT_EQ(store.mismatches({.status = "new", .suspect = "onednn"}).size(), 0);
}

TEST_F(StoreTest, TakesOutputThatIsNotUtf8) {
  store::Store store = store::Store::open(path_);
  Mismatch crash = wrong("conv2d in=4x4");
  crash.certificate.death.output_tail = std::string("a\xff\0b", 4);
  const int64_t id = store.record(store.begin_campaign({}), crash).id;
  EXPECT_EQ(store.mismatch(id)->certificate["output_tail"], std::string("a\xef\xbf\xbd\0b", 6));
}

TEST_F(StoreTest, RefusesAnUnknownCampaign) {
  store::Store store = store::Store::open(path_);
  const auto record = [&store] { store.record(7, wrong("conv2d in=4x4")); };
  EXPECT_EQ(contains(refusal(record, path_), "FOREIGN KEY"), "");
  const auto update = [&store] { store.update_campaign(7, {}, store::CampaignState::kFinished); };
  EXPECT_EQ(contains(refusal(update, path_), "campaign 7 is gone"), "");
}

/// A database of the version before, with one row of each kind.
void make_old(const std::string& path) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db.exec(fmt::format("PRAGMA application_id = {}", store::kApplicationId));
  db.exec(store::kOldSchema);
  db.exec(R"(
    INSERT INTO campaigns (seed, profile, flags, libraries, isa, convict_version, started, updated, uuid, done)
      VALUES ('7', 'smoke', '{}', '{"direct":"1"}', 'avx2', '0.1.0', 'then', 'then', 'abc', '[[0,5]]');
    INSERT INTO causes (title, status, link) VALUES ('crashes', 'reported', 'there');
    INSERT INTO mismatches (signature, coarse, operation, verdict, suspect, blame, case_text, cost, certificate,
                            explanation, predicate, geography, first_seen, last_seen, hits, first_campaign,
                            last_campaign, cause, status, note, triaged)
      VALUES ('direct|crash|conv2d', 'direct|crash|conv2d', 'conv2d', 'crash', 'direct', 'target', 'conv2d in=4x4', 16,
              '{}', '{}', '', '', 'then', 'then', 5, 1, 1, 1, 'new', '', ''),
             ('direct|wrong-exact|conv2d|all|s >= 2', 'direct|wrong-proven|conv2d', 'conv2d', 'wrong-exact', 'direct',
              'target', 'conv2d in=4x4 s=2x2', 4, '{}', '{"a":1}', 's >= 2', 'all', 'then', 'then', 9, 1, 1, NULL,
              'known', 'mine', 'now');
    INSERT INTO sightings VALUES (1, 1, 5, 'then', 'then'), (2, 1, 9, 'then', 'then');
    INSERT INTO candidates VALUES (1, 'conv2d in=4x4', 1, 16, 'target', '{}', 3),
                                  (1, 'conv2d in=5x5', 1, 25, 'target', '{}', 2);
    DELETE FROM sqlite_sequence WHERE name = 'mismatches';
    INSERT INTO sqlite_sequence VALUES ('mismatches', 40);
  )");
}

TEST_F(StoreTest, ConvertsADatabaseOfTheVersionBefore) {
  make_old(path_);
  store::Store store = store::Store::open(path_);
  EXPECT_EQ(query("PRAGMA user_version"), std::to_string(store::kSchemaVersion));
  EXPECT_EQ(query("PRAGMA integrity_check"), "ok");
  const auto rows = store.mismatches();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(fmt::format("{} {} {}", rows[0].id, rows[0].hits, rows[0].effective_status), "1 5 reported");
  EXPECT_EQ(fmt::format("{} {} {} {}", rows[1].id, rows[1].hits, rows[1].status, rows[1].note), "2 9 known mine");
  // A hit that its row's rule covers is that row's, and another row that is explained gives away what is not its own.
  Mismatch covered = wrong("conv2d in=9x9 s=3");
  covered.verdict = Verdict::kWrongProven;
  EXPECT_EQ(store.record(1, covered).id, 2);
  store.explain(1, {.case_text = "conv2d in=4x4", .geography = "g", .predicate = "in = 4"});
  EXPECT_EQ(query("SELECT group_concat(id || ' ' || hits || ' ' || status, ', ') FROM mismatches"),
            "1 3 new, 2 10 known, 41 2 new");
  EXPECT_EQ(store.mismatch(1)->effective_status, "reported");
}

TEST_F(StoreTest, LeavesADatabaseThatCannotBeConverted) {
  make_old(path_);
  write_sql("PRAGMA ignore_check_constraints = ON; UPDATE mismatches SET status = 'done'");
  const auto before = files();
  EXPECT_EQ(contains(open_refusal(), "CHECK"), "");
  EXPECT_EQ(query("SELECT count(*) FROM candidates"), "2");
  EXPECT_EQ(query("PRAGMA user_version"), "8");
}

}  // namespace
}  // namespace convict::test

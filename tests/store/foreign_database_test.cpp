// SPDX-License-Identifier: Apache-2.0
//
// Rows that no convict writes and that the schema lets through: anybody can write to a database with SQL.
#include "report/report.h"
#include "reports/writer.h"
#include "store/merge.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

class ForeignDatabase : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    create(1);
  }

  void write(const std::string& sql) const { write_sql("PRAGMA foreign_keys = OFF; " + sql); }

  /// What is said when the database is merged into a new one.
  std::string merge_refusal() const {
    return refusal([this] { store::merge_databases(path("merged.db"), {path_}); }, path_);
  }
};

/// json_valid() of SQLite takes both; neither is a JSON value of ours.
constexpr const char* kNoJson[] = {"'{\"cases\":1e999}'", "CAST(x'7b2261223a22ff227d' AS TEXT)"};

TEST_F(ForeignDatabase, JsonThatOnlySqliteReads) {
  for (const char* text : kNoJson) {
    write(fmt::format("UPDATE campaigns SET libraries = {0}, counts = {0}", text));
    const store::Store store = store::Store::open(path_);
    EXPECT_EQ(contains(refusal([&] { store.campaigns(); }, path_), "the counts of campaign 1 is not JSON"), "");
    EXPECT_EQ(contains(refusal([&] { store.sightings(1); }, path_), "the libraries of a campaign is not JSON"), "");
    EXPECT_EQ(contains(refusal([&] { store.campaign(1); }, path_), "campaign 1 is damaged"), "");
  }
}

TEST_F(ForeignDatabase, CertificateOfACandidate) {
  for (const char* text : kNoJson) {
    write(fmt::format("UPDATE candidates SET certificate = {}", text));
    EXPECT_EQ(contains(refusal(
                           [&] {
                             store::Store::open(path_).explain(1, {.case_text = "", .explanation = {{"a", 1}}});
                           },
                           path_),
                       "the certificate of a candidate of mismatch 1 is not JSON"),
              "");
  }
}

TEST_F(ForeignDatabase, CountsThatAreNone) {
  write("UPDATE campaigns SET counts = '[]'");
  EXPECT_EQ(contains(refusal([&] { store::Store::open(path_).campaigns(); }, path_),
                     "counts of campaign 1 are not an object"),
            "");
  for (const char* cases : {"null", "-1", "1.5", "\"many\"", "{}"}) {
    write(fmt::format("UPDATE campaigns SET counts = '{{\"cases\":{}}}'", cases));
    const report::Report report = report::make_report({.database = path_}, [](const std::string&) {});
    EXPECT_EQ(report.signatures.cases, 0u) << cases;
    for (const reports::ReportWriter* writer : reports::all()) EXPECT_FALSE(writer->write(report).empty());
  }
}

TEST_F(ForeignDatabase, VerdictsAndBlameThatAreNone) {
  write("UPDATE mismatches SET verdict = 'guilty'");
  store::Store store = store::Store::open(path_);
  EXPECT_THROW(store.record(1, wrong("conv2d in=4x4", std::string("kernel0") + std::string(2000, 'x'))), UsageError);
  EXPECT_THROW(store.explain(1, {.case_text = "", .explanation = {{"a", 1}}}), UsageError);
  write("UPDATE mismatches SET verdict = 'wrong-exact'; UPDATE candidates SET blame = 'fate'");
  EXPECT_THROW(store.explain(1, {.case_text = "", .explanation = {{"a", 1}}}), UsageError);
}

TEST_F(ForeignDatabase, MismatchesOfNoCampaign) {
  write("DELETE FROM campaigns");
  EXPECT_EQ(contains(merge_refusal(), "was seen by no campaign that is there"), "");
  EXPECT_FALSE(fs::exists(path("merged.db")));
}

TEST_F(ForeignDatabase, HitsThatNobodyCanAddUp) {
  write("UPDATE mismatches SET hits = 9223372036854775807; UPDATE sightings SET hits = 9223372036854775807");
  EXPECT_EQ(contains(merge_refusal(), "9223372036854775807 hits"), "");
}

/// They would take for ever, one by one, and are more than the row has.
TEST_F(ForeignDatabase, CandidatesWithManyHits) {
  write("UPDATE candidates SET hits = 1000000000000, case_text = 'conv2d in=5x5'");
  store::Store store = store::Store::open(path_);
  store.explain(1, {.case_text = "conv2d in=4x4", .geography = "g", .predicate = "in = 4", .explanation = {{"a", 1}}});
  ASSERT_EQ(store.mismatches().size(), 2u);
  EXPECT_EQ(store.mismatches()[1].hits, 1);
  EXPECT_EQ(query("SELECT sum(hits) FROM candidates WHERE mismatch = 2"), "1");
}

TEST_F(ForeignDatabase, CandidateOfACampaignThatDidNotSeeItsRow) {
  {
    store::Store store = store::Store::open(path_);
    store.begin_campaign({});
  }
  write("UPDATE candidates SET campaign = 2, case_text = 'conv2d in=5x5'");
  store::Store store = store::Store::open(path_);
  store.explain(1, {.case_text = "conv2d in=4x4", .geography = "g", .predicate = "in = 4", .explanation = {{"a", 1}}});
  EXPECT_EQ(store.mismatches().size(), 1u) << "it has no hits to take along";
}

}  // namespace
}  // namespace convict::test

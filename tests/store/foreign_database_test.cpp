// SPDX-License-Identifier: Apache-2.0
//
// Rows that no convict writes and that the schema lets through: anybody can write to a database with SQL.
#include "report/report.h"
#include "reports/writer.h"
#include "store/store.h"
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

TEST_F(ForeignDatabase, CertificateOfACase) {
  for (const char* text : kNoJson) {
    fs::remove(path_);
    create(1);
    write(fmt::format("UPDATE cases SET certificate = {}", text));
    store::Store store = store::Store::open(path_);
    store.explain(1, {.case_text = "conv2d in=4x4", .predicate = "in = 4"});
    EXPECT_EQ(contains(refusal([&] { store.mismatches(); }, path_), "the certificate of mismatch 1 is not JSON"), "");
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

TEST_F(ForeignDatabase, VerdictsThatAreNone) {
  write("UPDATE mismatches SET verdict = 'guilty'");
  store::Store store = store::Store::open(path_);
  const auto explain = [&] { store.explain(1, {.case_text = "conv2d in=4x4"}); };
  EXPECT_THROW(explain(), UsageError);
  write("UPDATE mismatches SET verdict = 'wrong-exact'; UPDATE seen SET verdict = 'guilty'; "
        "UPDATE cases SET verdict = 'guilty'");
  EXPECT_THROW(explain(), UsageError);
}

TEST_F(ForeignDatabase, MismatchesOfNoCampaign) {
  write("DELETE FROM campaigns");
  EXPECT_EQ(contains(merge_refusal(), "was seen by no campaign that is there"), "");
  EXPECT_FALSE(fs::exists(path("merged.db")));
}

TEST_F(ForeignDatabase, HitsThatNobodyCanAddUp) {
  write("UPDATE seen SET hits = 9223372036854775807");
  EXPECT_EQ(contains(merge_refusal(), "9223372036854775807 hits"), "");
}

/// They are more than their campaign has.
TEST_F(ForeignDatabase, CasesWithManyHits) {
  write("UPDATE cases SET hits = 1000000000000, case_text = 'conv2d in=5x5'");
  store::Store store = store::Store::open(path_);
  store.explain(1, {.case_text = "conv2d in=4x4", .geography = "g", .predicate = "in = 4"});
  ASSERT_EQ(store.mismatches().size(), 1u);
  EXPECT_EQ(store.mismatches()[0].hits, 1);
  EXPECT_EQ(store.mismatches()[0].case_text, "conv2d in=5x5");
}

TEST_F(ForeignDatabase, ACaseOfACampaignThatDidNotSeeIt) {
  {
    store::Store store = store::Store::open(path_);
    store.begin_campaign({});
  }
  write("UPDATE cases SET campaign = 2, case_text = 'conv2d in=5x5'");
  store::Store store = store::Store::open(path_);
  store.explain(1, {.case_text = "conv2d in=4x4", .geography = "g", .predicate = "in = 4"});
  EXPECT_TRUE(store.mismatches().empty()) << "there is nothing to show";
}

}  // namespace
}  // namespace convict::test

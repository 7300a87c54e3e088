// SPDX-License-Identifier: Apache-2.0
//
// Databases whose header or schema somebody else has made: refused in one line before anything in them takes effect.
#include <sqlite3.h>

#include <climits>

#include "store/database.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "tests/store/store_fixture.h"

namespace convict::test {
namespace {

class HostileSchema : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    create(2);
  }

  /// Everybody who opens a file has to refuse it like this, and to leave it as it is.
  void expect_refusal(const std::string& part) const {
    const auto before = files();
    EXPECT_EQ(contains(open_refusal(), part), "");
    EXPECT_EQ(contains(refusal([&] { store::open_copy(path_, milliseconds(50)); }, path_), part), "");
    EXPECT_EQ(contains(refusal([&] { store::merge_databases(path("out"), {path_}); }, path_), part), "");
    EXPECT_EQ(files(), before);
  }

  /// Writes the schema itself, as a program that makes hostile files does.
  void edit_schema(const std::string& sql) const { write_sql("PRAGMA writable_schema = ON; " + sql); }
};

TEST_F(HostileSchema, VersionsBelowZero) {
  for (const int version : {-1, -5, -100'000, INT_MIN}) {
    write_sql(fmt::format("PRAGMA user_version = {}", version));
    expect_refusal(fmt::format("its schema has version {}, which no convict has made; choose", version));
  }
}

/// It made a campaign with mismatches exit 0.
TEST_F(HostileSchema, ATrigger) {
  write_sql("CREATE TRIGGER quiet AFTER INSERT ON mismatches BEGIN UPDATE mismatches SET status = 'known'; END");
  expect_refusal("trigger 'quiet' of its schema is not of convict; remove it");
}

/// It has rows without end.
TEST_F(HostileSchema, AViewInPlaceOfATable) {
  write_sql(
      "ALTER TABLE mismatches RENAME TO others; CREATE VIEW mismatches AS "
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT others.* FROM n, others");
  expect_refusal("of its schema is not of convict");
}

TEST_F(HostileSchema, WhatIsAddedToATable) {
  for (const char* column :
       {"y INT AS (length(zeroblob(1000000000)))", "y INT CHECK (length(zeroblob(1000000000)) > 0)"}) {
    fs::remove(path_);
    create(0);
    write_sql(fmt::format("ALTER TABLE scores ADD COLUMN {}", column));
    expect_refusal("table 'scores' of its schema is not of convict");
  }
}

TEST_F(HostileSchema, AnIndexOnAnExpression) {
  write_sql("CREATE INDEX more ON mismatches (abs(id))");
  expect_refusal("index 'more' of its schema is not of convict");
}

TEST_F(HostileSchema, ADefinitionThatDiffersInOneWord) {
  edit_schema("UPDATE sqlite_schema SET sql = replace(sql, 'hits >= 1', 'hits >= 0') WHERE name = 'mismatches'");
  expect_refusal("table 'mismatches' of its schema is not of convict");
}

TEST_F(HostileSchema, ATableThatIsMissing) {
  write_sql("DROP TABLE coverage");
  expect_refusal("of its schema is missing; choose");
}

TEST_F(HostileSchema, TablesBeforeTheFirstVersion) {
  write_sql("PRAGMA user_version = 0");
  expect_refusal("of its schema is not of convict");
}

/// Tools that restore a database may drop them; quoted, they are no comments.
TEST_F(HostileSchema, CommentsAndBlanksDoNotCount) {
  edit_schema(
      "UPDATE sqlite_schema SET sql = replace(replace(sql, '-- ISO 8601, UTC, as all times here', '/* times */  '), "
      "'  ', ' ') WHERE name = 'campaigns'");
  EXPECT_EQ(open_refusal(), "not refused");
  edit_schema(
      "UPDATE sqlite_schema SET sql = replace(sql, 'DEFAULT ''new''', 'DEFAULT ''-- new''') WHERE name = 'mismatches'");
  EXPECT_EQ(contains(open_refusal(), "table 'mismatches'"), "");
}

TEST_F(HostileSchema, EveryVersionOfConvictIsItsOwn) {
  for (const char* schema : {"", store::kOldSchema, store::kSchema}) {
    SQLite::Database db(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    if (*schema != 0) db.exec(schema);
    EXPECT_NO_THROW(store::refuse_foreign_schema(db, path_)) << schema;
    store::bring_up_to_date(db, path_);
    EXPECT_NO_THROW(store::refuse_foreign_schema(db, path_)) << schema;
    EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt(), store::kSchemaVersion);
  }
}

TEST_F(HostileSchema, VersionsOfBeforeTheFirstRelease) {
  write_sql("PRAGMA user_version = 3");
  expect_refusal("its schema has version 3, which only convicts before the first release have made; choose");
}

/// One that comes while the file is open, too.
TEST_F(HostileSchema, ATriggerHasNoEffect) {
  store::Store store = store::Store::open(path_);
  write_sql("CREATE TRIGGER quiet AFTER INSERT ON mismatches BEGIN UPDATE mismatches SET status = 'known'; END");
  store.record(1, wrong("conv2d in=4x4", "other"));
  EXPECT_EQ(query("SELECT group_concat(DISTINCT status) FROM mismatches"), "new");
}

TEST(StepLimits, EndAStatementWithoutEnd) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  store::StepLimits limits(db, 1'000'000);
  const auto count_to = [&](int most) {
    return db
        .execAndGet(fmt::format("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {}) "
                                "SELECT count(*) FROM n",
                                most))
        .getInt();
  };
  EXPECT_EQ(count_to(10'000), 10'000);
  try {
    count_to(-1);
    ADD_FAILURE() << "it has an end";
  } catch (const SQLite::Exception& error) {
    EXPECT_EQ(error.getErrorCode(), SQLITE_INTERRUPT);
  }
  EXPECT_THROW(count_to(10'000), SQLite::Exception) << "nothing is left";
  limits.renew();
  EXPECT_EQ(count_to(10'000), 10'000);
}

}  // namespace
}  // namespace convict::test

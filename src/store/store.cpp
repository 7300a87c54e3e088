// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "core/case_text.h"
#include "core/geometry.h"
#include "store/campaign_table.h"
#include "store/database.h"
#include "store/mismatch_table.h"

namespace convict {
namespace {

using nlohmann::json;
using SQLite::TransactionBehavior;
using store::to_json_text;
using store::utc_now;

StoredCoverage read_coverage(SQLite::Database& db, const std::string& profile) {
  SQLite::Statement select(db, "SELECT feature_table, tuples FROM coverage WHERE profile = ?");
  select.bind(1, profile);
  StoredCoverage stored;
  if (!select.executeStep()) return stored;
  if (select.getColumn(0).getString() != feature_table()) {
    stored.replaced = fmt::format("coverage of profile {} was of another feature table: counted anew", profile);
    return stored;
  }
  const SQLite::Column blob = select.getColumn(1);
  try {
    stored.coverage = Coverage::parse({static_cast<const char*>(blob.getBlob()), static_cast<size_t>(blob.size())});
  } catch (const UsageError& error) {
    stored.replaced = fmt::format("coverage of profile {} counted anew: {}", profile, error.what());
  }
  return stored;
}

void write_coverage(SQLite::Database& db, const std::string& profile, const Coverage& coverage) {
  SQLite::Statement statement(db, R"sql(
    INSERT OR REPLACE INTO coverage (profile, feature_table, cases, tuples, updated)
    VALUES (:profile, :feature_table, :cases, :tuples, :now)
  )sql");
  const std::string tuples = coverage.serialise();
  statement.bind(":profile", profile);
  statement.bind(":feature_table", feature_table());
  statement.bind(":cases", static_cast<int64_t>(coverage.cases()));
  statement.bind(":tuples", tuples.data(), static_cast<int>(tuples.size()));
  statement.bind(":now", utc_now());
  statement.exec();
}

}  // namespace

Store::Store(std::string path, std::unique_ptr<SQLite::Database> db) : path_(std::move(path)), db_(std::move(db)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::string& path, std::chrono::milliseconds busy_timeout) {
  return {path, store::open_database(path, busy_timeout)};
}

template <class Body>
auto Store::guarded(const Body& body) const {
  try {
    return body(*db_);
  } catch (const SQLite::Exception& error) {
    throw store::bad_database(path_, error);
  }
}

int64_t Store::begin_campaign(const CampaignInfo& info) {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement statement(db, R"sql(
      INSERT INTO campaigns (uuid, seed, profile, flags, libraries, isa, convict_version, focus, started, updated)
      VALUES (lower(hex(randomblob(16))), :seed, :profile, :flags, :libraries, :isa, :version, :focus, :now, :now)
    )sql");
    statement.bind(":seed", std::to_string(info.seed));
    statement.bind(":profile", info.profile);
    statement.bind(":flags", to_json_text(info.flags));
    statement.bind(":libraries", to_json_text(info.libraries));
    statement.bind(":isa", info.isa);
    statement.bind(":version", info.version);
    statement.bind(":focus", info.focus.empty() ? "" : to_json_text(info.focus));
    statement.bind(":now", utc_now());
    statement.exec();
    return db.getLastInsertRowid();
  });
}

void Store::update_campaign(int64_t id, const json& counts, std::string_view state) {
  const int rows = guarded([&](SQLite::Database& db) {
    SQLite::Statement statement(db, R"sql(
      UPDATE campaigns SET counts = :counts, state = :state, updated = max(updated, :now),
                           ended = CASE :state WHEN 'running' THEN NULL ELSE max(updated, :now) END
      WHERE id = :id
    )sql");
    statement.bind(":counts", to_json_text(counts));
    statement.bind(":state", std::string(state));
    statement.bind(":now", utc_now());
    statement.bind(":id", id);
    return statement.exec();
  });
  if (rows == 0) throw store::bad_database(path_, fmt::format("campaign {} is gone", id), "start another one");
}

void Store::update_campaign(int64_t id, const json& counts, std::string_view state, const Intervals& done) {
  guarded([&](SQLite::Database& db) {
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    update_campaign(id, counts, state);
    store::write_done(db, id, done.to_json());
    transaction.commit();
  });
}

std::optional<StoredCampaign> Store::campaign(int64_t id) const {
  return guarded([&](SQLite::Database& db) { return store::select_campaign(db, id, path_); });
}

std::optional<int64_t> Store::last_unfinished_campaign() const {
  return guarded([](SQLite::Database& db) { return store::last_unfinished(db); });
}

std::vector<std::pair<MismatchRow, int64_t>> Store::sightings(int64_t campaign) const {
  return guarded([&](SQLite::Database& db) { return store::select_sightings(db, campaign, path_); });
}

std::vector<CampaignRow> Store::campaigns() const {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement select(db, "SELECT id, profile, state, counts FROM campaigns ORDER BY id");
    std::vector<CampaignRow> rows;
    while (select.executeStep()) {
      CampaignRow& row = rows.emplace_back();
      row.id = select.getColumn(0).getInt64();
      row.profile = select.getColumn(1).getString();
      row.state = select.getColumn(2).getString();
      row.counts = json::parse(select.getColumn(3).getString());  // the schema admits nothing else
    }
    return rows;
  });
}

StoredCoverage Store::coverage(const std::string& profile) const {
  return guarded([&](SQLite::Database& db) { return read_coverage(db, profile); });
}

StoredCoverage Store::add_coverage(const std::string& profile, const Coverage& more) {
  return guarded([&](SQLite::Database& db) {
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);  // nobody writes between reading and writing
    StoredCoverage sum = read_coverage(db, profile);
    sum.coverage.merge(more);
    write_coverage(db, profile, sum.coverage);
    transaction.commit();
    return sum;
  });
}

std::vector<std::string> Store::covered_profiles() const {
  return guarded([&](SQLite::Database& db) {
    SQLite::Statement select(db, "SELECT profile FROM coverage ORDER BY profile");
    std::vector<std::string> names;
    while (select.executeStep()) names.push_back(select.getColumn(0).getString());
    return names;
  });
}

Recorded Store::record(int64_t campaign, const Mismatch& mismatch) {
  return guarded([&](SQLite::Database& db) {
    // IMMEDIATE: two processes that both read first and write then could not both go on.
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    Recorded recorded = store::record(db, campaign, mismatch);
    transaction.commit();
    return recorded;
  });
}

std::vector<Recorded> Store::record(int64_t campaign, std::span<const Mismatch> mismatches, const Intervals& done) {
  return guarded([&](SQLite::Database& db) {
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    std::vector<Recorded> recorded;
    for (const Mismatch& mismatch : mismatches) recorded.push_back(store::record(db, campaign, mismatch));
    if (!store::write_done(db, campaign, done.to_json()))
      throw store::bad_database(path_, fmt::format("campaign {} is gone", campaign), "start another one");
    transaction.commit();
    return recorded;
  });
}

int64_t Store::settle(int64_t id, const Settlement& settlement) {
  return guarded([&](SQLite::Database& db) {
    SQLite::Transaction transaction(db, TransactionBehavior::IMMEDIATE);
    const int64_t home = store::settle(db, id, settlement, path_);
    transaction.commit();
    return home;
  });
}

std::vector<MismatchRow> Store::mismatches(const MismatchFilter& filter) const {
  return guarded([&](SQLite::Database& db) { return store::select_mismatches(db, filter, path_); });
}

std::optional<MismatchRow> Store::mismatch(int64_t id) const {
  return guarded([&](SQLite::Database& db) { return store::select_mismatch(db, id, path_); });
}

}  // namespace convict

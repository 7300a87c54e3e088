// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "core/text.h"
#include "store/campaign_table.h"
#include "store/database.h"
#include "store/mismatch_table.h"
#include "store/statements.h"

namespace convict::store {
namespace {

using nlohmann::json;
using SQLite::TransactionBehavior;

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
  bind_all(statement, ":profile", profile, ":feature_table", feature_table(), ":cases",
           static_cast<int64_t>(coverage.cases()), ":now", utc_now());
  statement.bind(":tuples", tuples.data(), static_cast<int>(tuples.size()));
  statement.exec();
}

void insert_score(Statements& sql, const StoredScore& score) {
  const auto statement = sql(R"sql(
    INSERT INTO scores (uuid, written, convict_version, settings, result)
    VALUES (lower(hex(randomblob(16))), :written, :version, :settings, :result)
  )sql");
  bind_all(*statement, ":written", score.written, ":version", score.version, ":settings", to_json_text(score.settings),
           ":result", to_json_text(score.result));
  statement->exec();
}

/// For scores written in the same second, the uuid decides.
std::optional<StoredScore> select_last_score(Statements& sql, const std::string& path) {
  const auto select =
      sql("SELECT written, convict_version, settings, result FROM scores ORDER BY written DESC, uuid DESC LIMIT 1");
  if (!select->executeStep()) return std::nullopt;
  const auto text = [&](int column) { return select->getColumn(column).getString(); };
  const auto parsed = [&](int column) { return json::parse(text(column), nullptr, /*allow_exceptions=*/false); };
  StoredScore score{text(0), text(1), parsed(2), parsed(3)};
  if (!score.settings.is_object() || !score.result.is_object())
    throw bad_database(path, "settings and result of the last score are not both JSON objects", "remove it");
  return score;
}

}  // namespace

std::string MismatchRow::status_text() const {
  if (effective_status == status) return status;
  std::vector<std::string> names;
  for (const auto& [name, version] : versions.items())
    names.push_back(name + " " + (version.is_string() ? version.get<std::string>() : version.dump()));
  return fmt::format("{} ({} for {})", effective_status, status, fmt::join(names, ", "));
}

Store::Store(std::string path, std::unique_ptr<SQLite::Database> db)
    : path_(std::move(path)), db_(std::move(db)), statements_(std::make_unique<Statements>(*db_)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&& other) noexcept {
  statements_ = std::move(other.statements_);  // ours end before their database does
  db_ = std::move(other.db_);
  path_ = std::move(other.path_);
  return *this;
}
Store::~Store() = default;

Store Store::open(const std::string& path, std::chrono::milliseconds busy_timeout) {
  return {path, open_database(path, busy_timeout)};
}

template <class Body>
auto Store::guarded(const Body& body) const {
  try {
    return body(*statements_);
  } catch (const SQLite::Exception& error) {
    throw bad_database(path_, error);
  }
}

int64_t Store::begin_campaign(const CampaignInfo& info) {
  return guarded([&](Statements& sql) {
    SQLite::Statement statement(sql.database(), R"sql(
      INSERT INTO campaigns (uuid, seed, profile, flags, libraries, isa, convict_version, focus, started, updated)
      VALUES (lower(hex(randomblob(16))), :seed, :profile, :flags, :libraries, :isa, :version, :focus, :now, :now)
    )sql");
    bind_all(statement, ":seed", std::to_string(info.seed), ":profile", info.profile, ":flags",
             to_json_text(info.flags), ":libraries", to_json_text(info.libraries), ":isa", info.isa, ":version",
             info.version, ":focus", info.focus.empty() ? "" : to_json_text(info.focus), ":now", utc_now());
    statement.exec();
    return sql.database().getLastInsertRowid();
  });
}

void Store::update_campaign(int64_t id, const json& counts, std::string_view state) {
  const int rows = guarded([&](Statements& sql) {
    SQLite::Statement statement(sql.database(), R"sql(
      UPDATE campaigns SET counts = :counts, state = :state, updated = max(updated, :now),
                           ended = CASE :state WHEN 'running' THEN NULL ELSE max(updated, :now) END
      WHERE id = :id
    )sql");
    bind_all(statement, ":counts", to_json_text(counts), ":state", std::string(state), ":now", utc_now(), ":id", id);
    return statement.exec();
  });
  if (rows == 0) throw bad_database(path_, fmt::format("campaign {} is gone", id), "start another one");
}

void Store::update_campaign(int64_t id, const json& counts, std::string_view state, const Examined& examined) {
  guarded([&](Statements& sql) {
    SQLite::Transaction transaction(sql.database(), TransactionBehavior::IMMEDIATE);
    update_campaign(id, counts, state);
    write_done(sql.database(), id, examined.done.to_json());
    write_moments(sql, id, examined.timeline.moments());
    write_ratios(sql, id, examined.ratios);
    transaction.commit();
  });
}

std::optional<StoredCampaign> Store::campaign(int64_t id) const {
  return guarded([&](Statements& sql) { return select_campaign(sql, id, path_); });
}

std::optional<int64_t> Store::last_unfinished_campaign() const {
  return guarded([](Statements& sql) { return last_unfinished(sql.database()); });
}

std::vector<std::pair<MismatchRow, int64_t>> Store::seen_by(int64_t campaign) const {
  return guarded([&](Statements& sql) { return select_seen_by(sql, campaign, path_); });
}

std::vector<CampaignRow> Store::campaigns() const {
  return guarded([&](Statements& sql) {
    SQLite::Statement select(sql.database(), "SELECT id, profile, state, counts FROM campaigns ORDER BY id");
    std::vector<CampaignRow> rows;
    while (select.executeStep()) {
      CampaignRow& row = rows.emplace_back();
      row.id = select.getColumn(0).getInt64();
      row.profile = select.getColumn(1).getString();
      row.state = select.getColumn(2).getString();
      const std::string what = fmt::format("the counts of campaign {}", row.id);
      row.counts = from_json_text(select.getColumn(3).getString(), what, path_);
      if (!row.counts.is_object()) throw bad_database(path_, what + " are not an object", "correct them");
    }
    return rows;
  });
}

StoredCoverage Store::coverage(const std::string& profile) const {
  return guarded([&](Statements& sql) { return read_coverage(sql.database(), profile); });
}

StoredCoverage Store::add_coverage(const std::string& profile, const Coverage& more) {
  return guarded([&](Statements& sql) {
    SQLite::Transaction transaction(sql.database(),
                                    TransactionBehavior::IMMEDIATE);  // nobody writes between reading and writing
    StoredCoverage sum = read_coverage(sql.database(), profile);
    sum.coverage.merge(more);
    write_coverage(sql.database(), profile, sum.coverage);
    transaction.commit();
    return sum;
  });
}

std::vector<std::string> Store::covered_profiles() const {
  return guarded([&](Statements& sql) {
    SQLite::Statement select(sql.database(), "SELECT profile FROM coverage ORDER BY profile");
    std::vector<std::string> names;
    while (select.executeStep()) names.push_back(select.getColumn(0).getString());
    return names;
  });
}

Recorded Store::record(int64_t campaign, const Mismatch& mismatch) {
  return guarded([&](Statements& sql) {
    // IMMEDIATE: two processes that both read first and write then could not both go on.
    SQLite::Transaction transaction(sql.database(), TransactionBehavior::IMMEDIATE);
    const std::string now = utc_now();
    Recorded recorded = record_hit(sql, campaign, mismatch, {now, now});
    transaction.commit();
    return recorded;
  });
}

std::optional<RowOfHit> Store::row_of(int64_t campaign, const Mismatch& mismatch) const {
  return guarded([&](Statements& sql) { return store::row_of(sql, campaign, mismatch); });
}

std::vector<Recorded> Store::record(int64_t campaign, std::span<const Mismatch> mismatches, const Intervals& done) {
  return guarded([&](Statements& sql) {
    SQLite::Transaction transaction(sql.database(), TransactionBehavior::IMMEDIATE);
    std::vector<Recorded> recorded;
    const std::string now = utc_now();
    for (const Mismatch& mismatch : mismatches) recorded.push_back(record_hit(sql, campaign, mismatch, {now, now}));
    if (!write_done(sql.database(), campaign, done.to_json()))
      throw bad_database(path_, fmt::format("campaign {} is gone", campaign), "start another one");
    transaction.commit();
    return recorded;
  });
}

int64_t Store::explain(int64_t id, const RowExplanation& row_explanation) {
  return guarded([&](Statements& sql) {
    SQLite::Transaction transaction(sql.database(), TransactionBehavior::IMMEDIATE);
    const int64_t home = explain_row(sql, id, row_explanation, path_);
    transaction.commit();
    return home;
  });
}

void Store::triage(const std::map<int64_t, Triage>& what) {
  guarded([&](Statements& sql) {
    SQLite::Transaction transaction(sql.database(), TransactionBehavior::IMMEDIATE);
    for (const auto& [id, one] : what)
      if (!write_triage(sql, id, one))
        throw bad_database(path_, fmt::format("no mismatch {}", id), "choose one that it has");
    transaction.commit();
  });
}

std::vector<MismatchRow> Store::mismatches(const MismatchFilter& filter) const {
  return guarded([&](Statements& sql) { return select_mismatches(sql, filter, path_); });
}

std::optional<MismatchRow> Store::mismatch(int64_t id) const {
  return guarded([&](Statements& sql) { return select_mismatch(sql, id, path_); });
}

std::vector<Sighting> Store::sightings(int64_t id) const {
  return guarded([&](Statements& sql) { return select_sightings(sql, id, path_); });
}

std::map<int64_t, std::vector<Sighting>> Store::all_sightings(std::optional<int64_t> campaign) const {
  return guarded([&](Statements& sql) { return select_all_sightings(sql, campaign, path_); });
}

SignatureCount Store::signatures(std::optional<int64_t> campaign) const {
  return guarded([&](Statements& sql) { return count_signatures(sql, campaign); });
}

void Store::add_score(const StoredScore& score) {
  guarded([&](Statements& sql) { insert_score(sql, score); });
}

std::optional<StoredScore> Store::last_score() const {
  return guarded([&](Statements& sql) { return select_last_score(sql, path_); });
}

std::map<std::string, std::set<std::string>> Store::versions() const {
  return guarded([&](Statements& sql) {
    SQLite::Statement select(sql.database(), "SELECT DISTINCT key, value FROM campaigns, json_each(libraries)");
    std::map<std::string, std::set<std::string>> versions;
    while (select.executeStep()) versions[select.getColumn(0).getString()].insert(select.getColumn(1).getString());
    return versions;
  });
}

}  // namespace convict::store

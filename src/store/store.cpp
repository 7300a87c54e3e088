// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/text.h"
#include "store/assign.h"
#include "store/campaign_table.h"
#include "store/cause_table.h"
#include "store/database.h"
#include "store/limits.h"
#include "store/mismatch_table.h"
#include "store/statements.h"
#include "store/trouble.h"

namespace convict::store {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using SQLite::TransactionBehavior;

constexpr const char* kGoOn =
    "what was not stored yet is lost; put the file back, then go on with: convict fuzz --resume";

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

/// Whether a database that is open is still the file of its name: other processes may do anything to that.
class DatabaseFile {
 public:
  /// The database is borrowed; `path` is for messages.
  DatabaseFile(SQLite::Database& db, std::string path) : db_(db), path_(std::move(path)) { require(); }

  /// Throws SystemError if the file has been deleted, renamed or replaced since it was opened, or cut off since the
  /// last look: what is written to it now would be lost. Precondition: no transaction.
  void require();

 private:
  bool is_cut_off(uintmax_t size) const;

  SQLite::Database& db_;
  std::string path_;
  uintmax_t size_ = 0;  // of the file, at the last look
};

/// What has moved gets its log before: SQLite would leave the log when it closes the file, and it would damage the one
/// that is there instead.
void DatabaseFile::require() {
  int moved = 0;  // stays 0 for a database in memory, which has no file
  sqlite3_file_control(db_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  std::error_code error;
  if (moved != 0) {
    sqlite3_wal_checkpoint_v2(db_.getHandle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    const bool replaced = fs::exists(db_.getFilename(), error);
    const char* what = replaced ? "replaced by another file" : "deleted or renamed";
    throw refused_by_system(path_, std::string(what) + " while it was in use", kGoOn);
  }
  const uintmax_t size = fs::file_size(db_.getFilename(), error);
  if (error) return;
  if (size < size_ && (size == 0 || is_cut_off(size)))
    throw refused_by_system(path_, "truncated while it was in use",
                            "restore a copy, then go on with: convict fuzz --resume");
  size_ = size;
}

/// A file that has become smaller may have been vacuumed, and may lack pages that are in the log only. So its pages
/// decide, read anew.
bool DatabaseFile::is_cut_off(uintmax_t size) const try {
  const auto number = [&](const char* pragma) { return static_cast<uintmax_t>(db_.execAndGet(pragma).getInt64()); };
  if (size >= number("PRAGMA page_count") * number("PRAGMA page_size")) return false;
  sqlite3_db_release_memory(db_.getHandle());
  return db_.execAndGet("PRAGMA quick_check(1)").getString() != "ok";
} catch (const SQLite::Exception& error) {
  if (error.getErrorCode() == SQLITE_BUSY) throw_trouble(path_, error);
  return true;
}

Store::Store(std::string path, std::unique_ptr<SQLite::Database> db)
    : path_(std::move(path)),
      db_(std::move(db)),
      place_(std::make_unique<DatabaseFile>(*db_, path_)),
      limits_(std::make_unique<StepLimits>(*db_)),
      statements_(std::make_unique<Statements>(*db_)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&& other) noexcept {
  owners_ = std::move(other.owners_);
  statements_ = std::move(other.statements_);  // ours end before their database does
  limits_ = std::move(other.limits_);
  place_ = std::move(other.place_);
  db_ = std::move(other.db_);
  path_ = std::move(other.path_);
  return *this;
}
Store::~Store() = default;

Store Store::open(const std::string& path, std::chrono::milliseconds busy_timeout) {
  return {path, open_database(path, busy_timeout)};
}

const Store Store::open_to_read(const std::string& path, std::chrono::milliseconds busy_timeout) {
  return {path, store::open_to_read(path, busy_timeout)};
}

template <class Body>
auto Store::guarded(const Body& body) const {
  limits_->renew();
  try {
    return body(*statements_);
  } catch (const SQLite::Exception& error) {
    throw_trouble(path_, error);
  }
}

/// IMMEDIATE: two processes that both read first and write then could not both go on.
template <class Body>
auto Store::written(const Body& body) {
  return guarded([&](Statements& sql) {
    place_->require();
    SQLite::Transaction transaction(sql.database(), TransactionBehavior::IMMEDIATE);
    if constexpr (std::is_void_v<decltype(body(sql))>) {
      body(sql);
      transaction.commit();
    } else {
      auto result = body(sql);
      transaction.commit();
      return result;
    }
  });
}

int64_t Store::begin_campaign(const CampaignInfo& info) {
  return written([&](Statements& sql) { return insert_campaign(sql, info); });
}

void Store::update_campaign(int64_t id, const json& counts, CampaignState state) {
  written([&](Statements& sql) { write_state(sql, id, counts, state, path_); });
}

void Store::update_campaign(int64_t id, const json& counts, CampaignState state, const Examined& examined) {
  written([&](Statements& sql) {
    write_state(sql, id, counts, state, path_);
    write_done(sql.database(), id, examined.done.to_json());
    write_moments(sql, id, examined.timeline.moments());
    write_ratios(sql, id, examined.ratios);
    write_judged(sql, id, examined.judged);
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
  return written([&](Statements& sql) {
    StoredCoverage sum = read_coverage(sql.database(), profile);
    sum.coverage.merge(more);
    write_coverage(sql.database(), profile, sum.coverage);
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
  return written([&](Statements& sql) {
    const std::string now = utc_now();
    return record_hit(sql, owners(sql), campaign, mismatch, now);
  });
}

std::optional<RowOfHit> Store::row_of(int64_t campaign, const Mismatch& mismatch) const {
  return guarded([&](Statements& sql) { return store::row_of(sql, owners(sql), campaign, mismatch); });
}

std::vector<Recorded> Store::record(int64_t campaign, std::span<const Mismatch> mismatches, const DoneCases& done,
                                    const json& counts) {
  return written([&](Statements& sql) {
    std::vector<Recorded> recorded;
    const std::string now = utc_now();
    for (const Mismatch& mismatch : mismatches)
      recorded.push_back(record_hit(sql, owners(sql), campaign, mismatch, now));
    write_state(sql, campaign, counts, CampaignState::kRunning, path_);
    write_done(sql.database(), campaign, done.to_json());
    return recorded;
  });
}

void Store::confirm(int64_t id, int64_t as) {
  written([&](Statements& sql) { confirm_row(sql, id, as, path_); });
}

int64_t Store::explain(int64_t id, const RowExplanation& row_explanation) {
  return written([&](Statements& sql) {
    const int64_t home = explain_row(sql, id, row_explanation, path_);
    store::join_causes(sql, owners(sql).known());
    return home;
  });
}

void Store::note_replay(int64_t id, int64_t campaign, const std::string& gone) {
  written([&](Statements& sql) { write_gone(sql, id, campaign, gone); });
}

void Store::triage(const std::map<int64_t, Triage>& what) {
  written([&](Statements& sql) {
    for (const auto& [id, one] : what)
      if (!write_triage(sql, TriageOf::kMismatches, id, one))
        throw bad_database(path_, fmt::format("no mismatch {}", id), "choose one that it has");
  });
}

Owners& Store::owners(Statements& sql) const {
  if (!owners_) owners_ = std::make_unique<Owners>(sql, path_);
  return *owners_;
}

void Store::know(const std::vector<Cause>& causes) {
  written([&](Statements& sql) {
    write_known(sql, causes);
    owners_.reset();
    store::join_causes(sql, owners(sql).known());
  });
}

std::vector<Cause> Store::known_causes() const {
  return guarded([&](Statements& sql) { return owners(sql).known().all(); });
}

std::vector<CauseRow> Store::causes() const {
  return guarded([&](Statements& sql) { return select_causes(sql, path_); });
}

void Store::triage_causes(const std::map<int64_t, Triage>& what) {
  written([&](Statements& sql) {
    for (const auto& [id, one] : what)
      if (!write_triage(sql, TriageOf::kCauses, id, one))
        throw bad_database(path_, fmt::format("no cause {}", id), "choose one that it has");
  });
}

void Store::join_causes() {
  written([&](Statements& sql) { store::join_causes(sql, owners(sql).known()); });
}

std::vector<MismatchRow> Store::mismatches(const MismatchFilter& filter) const {
  return guarded([&](Statements& sql) { return select_mismatches(sql, filter, path_); });
}

std::optional<MismatchRow> Store::mismatch(int64_t id) const {
  return guarded([&](Statements& sql) { return select_mismatch(sql, id, path_); });
}

std::vector<CampaignSighting> Store::sightings(int64_t id) const {
  return guarded([&](Statements& sql) { return select_sightings(sql, id, path_); });
}

std::map<int64_t, std::vector<CampaignSighting>> Store::all_sightings(std::optional<int64_t> campaign) const {
  return guarded([&](Statements& sql) { return select_all_sightings(sql, campaign, path_); });
}

SignatureCount Store::signatures(std::optional<int64_t> campaign) const {
  return guarded([&](Statements& sql) { return count_signatures(sql, campaign); });
}

void Store::add_score(const StoredScore& score) {
  written([&](Statements& sql) { insert_score(sql, score); });
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

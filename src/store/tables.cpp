// SPDX-License-Identifier: Apache-2.0
#include "store/tables.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "store/database.h"

namespace convict::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGoOn =
    "what was not stored yet is lost; put the file back, then go on with: convict fuzz --resume";

}  // namespace

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

Owners& Store::owners(Statements& sql) const {
  if (!owners_) owners_ = std::make_unique<Owners>(sql, path_);
  return *owners_;
}

void Store::know(const std::vector<Cause>& causes) {
  written([&](Statements& sql) {
    constexpr const char* kWrite = R"sql(
      INSERT INTO causes (name, title, block, status, link, note) VALUES (:name, :title, :block, :status, :link, :note)
      ON CONFLICT (name) DO UPDATE SET
        title = excluded.title, block = excluded.block,
        status = CASE triaged WHEN '' THEN excluded.status ELSE status END,
        link = CASE triaged WHEN '' THEN excluded.link ELSE link END,
        note = CASE triaged WHEN '' THEN excluded.note ELSE note END
    )sql";
    for (const Cause& cause : causes)
      sql(kWrite, ":name", cause.name, ":title", cause.title, ":block", cause.text(), ":status", cause.status, ":link",
          cause.link, ":note", cause.about.note)
          ->exec();
    owners_.reset();
    store::join_causes(sql, owners(sql).known());
  });
}

std::vector<Cause> Store::known_causes() const {
  return guarded([&](Statements& sql) { return owners(sql).known().all(); });
}

std::vector<CauseRow> Store::causes() const {
  return guarded([&](Statements& sql) {
    const auto select = sql("SELECT * FROM causes ORDER BY id");
    std::vector<CauseRow> rows;
    const auto text = [&](const char* column) { return select->getColumn(column).getString(); };
    while (select->executeStep()) {
      CauseRow& row = rows.emplace_back();
      row.id = select->getColumn("id").getInt64();
      row.name = select->getColumn("name").isNull() ? "" : text("name");
      row.title = text("title");
      row.block = text("block");
      row.status = text("status");
      row.link = text("link");
      row.note = text("note");
      row.triaged = text("triaged");
      row.versions = from_json_text(text("versions"), fmt::format("the versions of cause {}", row.id), path_);
    }
    return rows;
  });
}

void Store::join_causes() {
  written([&](Statements& sql) { store::join_causes(sql, owners(sql).known()); });
}

}  // namespace convict::store

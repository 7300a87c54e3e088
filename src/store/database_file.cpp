// SPDX-License-Identifier: Apache-2.0
#include "store/database_file.h"

#include <sqlite3.h>

#include <filesystem>

#include "store/trouble.h"

namespace convict::store {

namespace fs = std::filesystem;

constexpr const char* kGoOn =
    "what was not stored yet is lost; put the file back, then go on with: convict fuzz --resume";

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

}  // namespace convict::store

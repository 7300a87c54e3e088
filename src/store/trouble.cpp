// SPDX-License-Identifier: Apache-2.0
#include "store/trouble.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

#include "core/text.h"

namespace convict::store {
namespace {

SystemError refused(const std::string& path, std::string_view what, std::string_view remedy) {
  return SystemError(fmt::format("database '{}': {}; {}", printable(path, 200), what, remedy));
}

}  // namespace

UsageError bad_database(const std::string& path, std::string_view what, std::string_view valid) {
  return UsageError(fmt::format("database '{}': {}; {}", printable(path, 200), what, valid));
}

void throw_trouble(const std::string& path, const SQLite::Exception& error) {
  const std::string message = printable(error.what(), 200);
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw bad_database(path, "locked by another process for too long", "wait for it to end, or choose another file");
    case SQLITE_FULL: throw refused(path, "the disk is full", "make room; what was stored before is intact");
    case SQLITE_IOERR:
      throw refused(path, fmt::format("cannot be read or written ({})", message),
                    "check the disk, its free space and the limit on file sizes");
    case SQLITE_TOOBIG:
      throw bad_database(path, "holds a value of more than 16 MB", "remove it: convict writes none as long");
    case SQLITE_INTERRUPT: throw bad_database(path, "takes more steps to read than any database of convict", kRescue);
    case SQLITE_NOTADB: throw bad_database(path, "not a SQLite database", kChooseOurs);
    case SQLITE_CORRUPT: throw bad_database(path, fmt::format("damaged ({})", message), kRescue);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: throw bad_database(path, message, kChooseWritable);
    default: throw bad_database(path, message, "choose another file");
  }
}

/// Moves the log into the file, wherever that is now. SQLite would leave it when it closes the file, and it would
/// damage the one that is there instead.
void require_in_place(SQLite::Database& db, const std::string& path) {
  int moved = 0;  // stays 0 for a database in memory, which has no file
  sqlite3_file_control(db.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved == 0) return;
  sqlite3_wal_checkpoint_v2(db.getHandle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  std::error_code error;
  const bool replaced = std::filesystem::exists(db.getFilename(), error);
  throw refused(path,
                fmt::format("{} while it was in use", replaced ? "replaced by another file" : "deleted or renamed"),
                "what was not stored yet is lost; put the file back, then go on with: convict fuzz --resume");
}

}  // namespace convict::store

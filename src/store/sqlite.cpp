// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "core/text.h"

namespace convict::store {

UsageError bad_database(const std::string& path, std::string_view what, std::string_view valid) {
  return UsageError(fmt::format("database '{}': {}; {}", printable(path, 200), what, valid));
}

SystemError refused_by_system(const std::string& path, std::string_view what, std::string_view remedy) {
  return SystemError(fmt::format("database '{}': {}; {}", printable(path, 200), what, remedy));
}

void throw_trouble(const std::string& path, const SQLite::Exception& error) {
  const std::string message = printable(error.what(), 200);
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Locked(refused_by_system(path, "locked by another process for too long",
                                     "wait for it to end, or choose another file"));
    case SQLITE_FULL: throw refused_by_system(path, "the disk is full", "make room; what was stored before is intact");
    case SQLITE_IOERR:
      throw refused_by_system(path, fmt::format("cannot be read or written ({})", message),
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

namespace {

constexpr int kStepsAtOnce = 10'000;  // between two looks at the limit

// Nothing of ours is as long, and what others wrote must not fill our memory.
constexpr std::pair<int, int> kLimits[] = {
    {SQLITE_LIMIT_LENGTH, 16 << 20},     // bytes of a value
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},  // bytes of a statement, those of the schema included
    {SQLITE_LIMIT_COLUMN, 100},         {SQLITE_LIMIT_EXPR_DEPTH, 100}, {SQLITE_LIMIT_ATTACHED, 0},
};

constexpr std::pair<int, int> kSettings[] = {
    {SQLITE_DBCONFIG_DEFENSIVE, 1},
    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
};

}  // namespace

void distrust(SQLite::Database& db) {
  for (const auto& [what, most] : kLimits) sqlite3_limit(db.getHandle(), what, most);
  for (const auto& [what, value] : kSettings) db.check(sqlite3_db_config(db.getHandle(), what, value, nullptr));
  db.exec("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

StepLimits::StepLimits(SQLite::Database& db, int64_t most) : db_(db), most_(most), left_(most) {
  const auto take = [](void* left) { return (*static_cast<int64_t*>(left) -= kStepsAtOnce) < 0 ? 1 : 0; };
  sqlite3_progress_handler(db_.getHandle(), kStepsAtOnce, take, &left_);
}

StepLimits::~StepLimits() { sqlite3_progress_handler(db_.getHandle(), 0, nullptr, nullptr); }

std::string fingerprint(std::string_view text) {
  uint64_t one = 0xcbf29ce484222325, other = ~one;
  for (const char byte : text) {
    one = (one ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    other = (other ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}{:016x}", one, other);
}

void define_functions(SQLite::Database& db) {
  const auto call = [](sqlite3_context* context, int, sqlite3_value** arguments) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
    const std::string result = fingerprint(text ? text : "");
    sqlite3_result_text(context, result.c_str(), static_cast<int>(result.size()), SQLITE_TRANSIENT);
  };
  db.createFunction("fingerprint", 1, /*aDeterministic=*/true, nullptr, call);
}

}  // namespace convict::store

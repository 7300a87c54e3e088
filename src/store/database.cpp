// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/text.h"
#include "store/schema.h"

namespace convict::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kChooseOurs = "choose a database made by convict, or a file that does not exist yet";
constexpr std::string_view kChooseWritable = "choose a file and a directory you may write to";
constexpr std::string_view kRescue = "restore a copy, or rescue what is left with: sqlite3 FILE .recover";

/// The directory has to be writable too, because SQLite keeps the write-ahead log beside the database.
void require_writable(const std::string& path, const fs::path& file, int mode) {
  if (faccessat(AT_FDCWD, file.c_str(), mode, AT_EACCESS) == 0) return;
  const int error = errno;
  throw bad_database(path,
                     fmt::format("cannot write to '{}' ({})", printable(file.string(), 200), std::strerror(error)),
                     kChooseWritable);
}

bool has_no_bytes(const fs::path& file) {
  std::error_code error;
  return fs::file_size(file, error) == 0 && !error;
}

void require_our_header(const std::string& path) {
  std::array<char, 100> header{};
  std::ifstream(path, std::ios::binary).read(header.data(), header.size());
  const auto number_at = [&header](size_t offset) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(header[offset + i]);
    return value;
  };
  constexpr char kMagic[] = "SQLite format 3";  // with its final 0
  if (std::memcmp(header.data(), kMagic, sizeof(kMagic)) != 0)
    throw bad_database(path, "not a SQLite database", kChooseOurs);
  if (number_at(68) != kApplicationId)
    throw bad_database(path, fmt::format("a SQLite database of another program (application_id {:#x})", number_at(68)),
                       kChooseOurs);
}

/// The absolute path, so that SQLite never takes it for a URI or for the name of a database in memory; with symbolic
/// links resolved, because SQLite keeps its other files beside the real one.
fs::path real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return fs::absolute(error ? fs::path(path) : real);
}

/// Whether there is a file to open. Looks at its header with plain reads, because SQLite itself would already recover
/// the write-ahead log of a database that is none of our business.
bool existing_database(const std::string& path) {
  if (path.empty()) throw bad_database(path, "the file name is empty", kChooseOurs);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const fs::path parent = real_path(path).parent_path();
  if (status.type() == fs::file_type::not_found) {
    if (!fs::is_directory(parent, error))
      throw bad_database(path, fmt::format("there is no directory '{}'", printable(parent.string(), 200)),
                         "create it first");
    require_writable(path, parent, W_OK | X_OK);
    return false;
  }
  if (error) throw bad_database(path, error.message(), kChooseOurs);
  if (status.type() == fs::file_type::directory)
    throw bad_database(path, "a directory", "name a file in it, e.g. convict.db");
  if (status.type() != fs::file_type::regular) throw bad_database(path, "not a regular file", kChooseOurs);
  require_writable(path, path, R_OK | W_OK);
  require_writable(path, parent, W_OK | X_OK);
  if (!has_no_bytes(path)) require_our_header(path);  // a process killed while creating it leaves it empty
  return true;
}

/// Escapes the characters that are special in a URI.
std::string escaped_for_uri(const std::string& file) {
  std::string text;
  for (const char c : file)
    if (c == '%' || c == '?' || c == '#')
      text += fmt::format("%{:02x}", c);
    else
      text += c;
  return text;
}

int user_version(SQLite::Database& db) { return db.execAndGet("PRAGMA user_version").getInt(); }

/// With this log, readers go on while a writer writes. SQLite does not wait by itself when two processes switch a new
/// database at the same time. On a file system without support, the database stays in rollback mode, which is as safe.
void use_write_ahead_log(SQLite::Database& db, std::chrono::milliseconds busy_timeout) {
  const auto deadline = std::chrono::steady_clock::now() + busy_timeout;
  for (;;) {
    try {
      db.execAndGet("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Sets whether closing the last connection moves the log, e.g. of a killed process, into the database (default: on).
void write_back_on_close(SQLite::Database& db, bool on) {
  db.check(sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr));
}

void refuse_newer(SQLite::Database& db, int newest, const std::string& path) {
  if (user_version(db) <= newest) return;
  throw bad_database(
      path, fmt::format("its schema has version {}, and this convict knows up to {}", user_version(db), newest),
      "use a newer convict, or another file");
}

void refuse_damaged(SQLite::Database& db, const std::string& path) {
  const std::string verdict = db.execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict != "ok") throw bad_database(path, fmt::format("damaged ({})", printable(verdict, 200)), kRescue);
}

/// 32 hexadecimal digits that depend on the text alone: FNV-1a (as for cases) from two different starts.
std::string fingerprint(std::string_view text) {
  uint64_t one = 0xcbf29ce484222325, other = ~one;
  for (const char byte : text) {
    one = (one ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    other = (other ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}{:016x}", one, other);
}

/// Defines the SQL functions that the migrations call.
void define_functions(SQLite::Database& db) {
  const auto call = [](sqlite3_context* context, int, sqlite3_value** arguments) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
    const std::string result = fingerprint(text ? text : "");
    sqlite3_result_text(context, result.c_str(), static_cast<int>(result.size()), SQLITE_TRANSIENT);
  };
  db.createFunction("fingerprint", 1, /*aDeterministic=*/true, nullptr, call);
}

/// `has_log`: a write-ahead log existed before. It stays unchanged until the database is accepted.
void prepare(SQLite::Database& db, bool has_log, const std::string& path, std::chrono::milliseconds busy_timeout) {
  // Of one value: nothing of ours is as long, and what others wrote must not fill our memory.
  constexpr int kLongestValue = 16 << 20;  // bytes
  sqlite3_limit(db.getHandle(), SQLITE_LIMIT_LENGTH, kLongestValue);
  write_back_on_close(db, !has_log);
  refuse_newer(db, static_cast<int>(kMigrations.size()), path);
  refuse_damaged(db, path);
  migrate(db, kMigrations, path);
  use_write_ahead_log(db, busy_timeout);
  // A killed process loses nothing: what is committed is with the kernel. Only a power cut may take the last commits,
  // and leaves a consistent database. FULL would wait for the disk on every hit: 0.28 ms instead of 0.05 on our
  // machine.
  db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  write_back_on_close(db, true);
}

}  // namespace

UsageError bad_database(const std::string& path, std::string_view what, std::string_view valid) {
  return UsageError(fmt::format("database '{}': {}; {}", printable(path, 200), what, valid));
}

UsageError bad_database(const std::string& path, const SQLite::Exception& error) {
  const std::string message = printable(error.what(), 200);
  switch (error.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return bad_database(path, "locked by another process for too long", "wait for it to end, or choose another file");
    case SQLITE_FULL: return bad_database(path, "the disk is full", "make room; what was stored before is intact");
    case SQLITE_IOERR:
      return bad_database(path, fmt::format("cannot be read or written ({})", message),
                          "check the disk, its free space and the limit on file sizes");
    case SQLITE_TOOBIG:
      return bad_database(path, "holds a value of more than 16 MB", "remove it: convict writes none as long");
    case SQLITE_NOTADB: return bad_database(path, "not a SQLite database", kChooseOurs);
    case SQLITE_CORRUPT: return bad_database(path, fmt::format("damaged ({})", message), kRescue);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM: return bad_database(path, message, kChooseWritable);
    default: return bad_database(path, message, "choose another file");
  }
}

std::string to_json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json from_json_text(const std::string& text, std::string_view what, const std::string& path) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) throw bad_database(path, fmt::format("{} is not JSON", what), "correct it");
  return value;
}

void migrate(SQLite::Database& db, std::span<const char* const> steps, const std::string& path) {
  const int newest = static_cast<int>(steps.size());
  define_functions(db);
  while (user_version(db) < newest) {
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    const int version = user_version(db);  // again: another process may have been faster
    if (version >= newest) break;
    db.exec(steps[version]);
    db.exec(fmt::format("PRAGMA user_version = {}", version + 1));
    transaction.commit();
  }
  refuse_newer(db, newest, path);
}

std::unique_ptr<SQLite::Database> open_database(const std::string& path, std::chrono::milliseconds busy_timeout) {
  const bool existed = existing_database(path);
  const fs::path file = real_path(path);
  const bool has_log = fs::exists(file.string() + "-wal");
  try {
    auto db = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                 static_cast<int>(busy_timeout.count()));
    prepare(*db, has_log, path, busy_timeout);
    return db;
  } catch (const SQLite::Exception& error) {
    std::error_code ignored;
    if (!existed && has_no_bytes(file)) fs::remove(file, ignored);
    throw bad_database(path, error);
  }
}

std::unique_ptr<SQLite::Database> open_copy(const std::string& path, std::chrono::milliseconds busy_timeout) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw bad_database(path, fs::exists(path, error) ? "not a regular file" : "does not exist",
                       "choose a database made by convict");
  require_our_header(path);
  const fs::path file = real_path(path);
  // Without a log nobody has the file open, and it can be read without leaving anything beside it. With one, SQLite has
  // to lock it and to read both.
  const bool has_log = fs::exists(file.string() + "-wal", error);
  const std::string uri = "file:" + escaped_for_uri(file.string()) + (has_log ? "?mode=ro" : "?mode=ro&immutable=1");
  try {
    SQLite::Database original(uri, SQLite::OPEN_READONLY | SQLite::OPEN_URI, static_cast<int>(busy_timeout.count()));
    auto copy = std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup(*copy, original).executeStep();
    refuse_newer(*copy, static_cast<int>(kMigrations.size()), path);
    refuse_damaged(*copy, path);
    migrate(*copy, kMigrations, path);
    return copy;
  } catch (const SQLite::Exception& exception) {
    throw bad_database(path, exception);
  }
}

}  // namespace convict::store

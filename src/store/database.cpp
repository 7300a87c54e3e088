// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text.h"
#include "store/schema.h"

namespace convict::store {

// ---- The schema: which version it has, that it is ours, and how it becomes the present one --------------------------

namespace {

/// The end of what begins at `at`: a quoted text or name, a comment, or one character.
size_t end_of_token(std::string_view sql, size_t at) {
  const auto behind = [&](std::string_view what, size_t from) {
    const size_t end = sql.find(what, from);
    return end == std::string_view::npos ? sql.size() : end + what.size();
  };
  if (sql.substr(at, 2) == "--") return behind("\n", at);
  if (sql.substr(at, 2) == "/*") return behind("*/", at + 2);
  if (std::string_view("'\"`").find(sql[at]) != std::string_view::npos) return behind(sql.substr(at, 1), at + 1);
  return at + 1;
}

/// The statement with one blank in place of comments and blanks: tools that copy a database may change them.
std::string plain(std::string_view sql) {
  std::string text;
  bool blank = false;
  for (size_t at = 0; at < sql.size();) {
    const size_t end = end_of_token(sql, at);
    const std::string_view token = sql.substr(at, end - at);
    const bool skipped =
        token.starts_with("--") || token.starts_with("/*") || std::isspace(static_cast<unsigned char>(token[0])) != 0;
    if (!skipped && std::exchange(blank, false)) text += ' ';
    blank |= skipped;
    if (!skipped) text += token;
    at = end;
  }
  return text;
}

/// Something that a schema defines: type, name, its table, the statement that made it.
using Definition = std::tuple<std::string, std::string, std::string, std::string>;

std::multiset<Definition> definitions_in(SQLite::Database& db) {
  SQLite::Statement select(db, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  std::multiset<Definition> all;
  const auto text = [&](int column) { return select.getColumn(column).getString(); };
  while (select.executeStep()) all.emplace(text(0), text(1), text(2), plain(text(3)));
  return all;
}

std::multiset<Definition> expected_definitions(int version) {
  SQLite::Database db(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  if (version != 0) db.exec(version == kSchemaVersion ? kSchema : kOldSchema);
  return definitions_in(db);
}

/// "a view 'v'" of the first definition that is in one and not in the other; "" if there is none.
std::string first_only_in(const std::multiset<Definition>& one, const std::multiset<Definition>& other) {
  std::vector<Definition> rest;
  std::ranges::set_difference(one, other, std::back_inserter(rest));
  if (rest.empty()) return "";
  return fmt::format("{} '{}'", printable(std::get<0>(rest[0]), 20), printable(std::get<1>(rest[0]), 60));
}

/// 0 of an empty database.
int version_of(SQLite::Database& db, const std::string& path) {
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (version == 0 || version == kOldSchemaVersion || version == kSchemaVersion) return version;
  if (version > kSchemaVersion)
    throw bad_database(
        path, fmt::format("its schema has version {}, and this convict knows up to {}", version, kSchemaVersion),
        "use a newer convict, or another file");
  throw bad_database(
      path, fmt::format("its schema has version {}, which {}", version,
                        version < 0 ? "no convict has made" : "only convicts before the first release have made"),
      kChooseOurs);
}

/// In one transaction of the caller.
void convert(SQLite::Database& db) {
  for (const char* index : kOldIndexes) db.exec(fmt::format("DROP INDEX {}", index));
  for (const char* table : kOldTables) db.exec(fmt::format("ALTER TABLE {0} RENAME TO old_{0}", table));
  db.exec(kSchema);
  db.exec(kConversion);
  for (const char* table : kOldTables) db.exec(fmt::format("DROP TABLE old_{}", table));
}

}  // namespace

void refuse_foreign_schema(SQLite::Database& db, const std::string& path) {
  const SQLite::Transaction reading(db);  // another process may convert it between the two questions
  const auto expected = expected_definitions(version_of(db, path));
  const auto found = definitions_in(db);
  if (found == expected) return;
  if (const std::string foreign = first_only_in(found, expected); !foreign.empty())
    throw bad_database(path, fmt::format("{} of its schema is not of convict", foreign),
                       "remove it with sqlite3, or choose a database that only convict has made");
  throw bad_database(path, fmt::format("{} of its schema is missing", first_only_in(expected, found)), kChooseOurs);
}

void bring_up_to_date(SQLite::Database& db, const std::string& path) {
  define_functions(db);
  if (version_of(db, path) == kSchemaVersion) return;
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = version_of(db, path);  // again: another process may have been faster
  if (version == 0) db.exec(kSchema);
  if (version == kOldSchemaVersion) convert(db);
  transaction.commit();
}

// ---- Files ----------------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

bool is_accessible(const fs::path& file, int mode) { return faccessat(AT_FDCWD, file.c_str(), mode, AT_EACCESS) == 0; }

/// The directory has to be writable too, because SQLite keeps the write-ahead log beside the database.
void require_writable(const std::string& path, const fs::path& file, int mode) {
  if (is_accessible(file, mode)) return;
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
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw bad_database(path, fmt::format("cannot be read ({})", std::strerror(errno)), "name one that you may read");
  file.read(header.data(), header.size());
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

/// Without a log no process has the file open, and it can be read without leaving anything beside it. With one, SQLite
/// has to lock it and to read both, for which it needs a third file. Where that cannot be made, no process writes: then
/// it is read without locks, and what would be in the third file stays in memory.
std::unique_ptr<SQLite::Database> open_original(const fs::path& file, std::chrono::milliseconds busy_timeout) {
  const std::string uri = "file:" + escaped_for_uri(file.string()) + "?mode=ro";
  const auto opened = [&](const char* how) {
    return std::make_unique<SQLite::Database>(uri + how, SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                                              static_cast<int>(busy_timeout.count()));
  };
  std::error_code error;
  if (!fs::exists(file.string() + "-wal", error)) return opened("&immutable=1");
  try {
    auto original = opened("");
    original->execAndGet("PRAGMA schema_version");
    return original;
  } catch (const SQLite::Exception& trouble) {
    const int code = trouble.getErrorCode();
    if (code != SQLITE_CANTOPEN && code != SQLITE_IOERR && code != SQLITE_FULL && code != SQLITE_READONLY) throw;
  }
  auto original = opened("&vfs=unix-none");
  original->exec("PRAGMA locking_mode = EXCLUSIVE");
  return original;
}

/// Sets whether closing the last connection moves the log, e.g. of a killed process, into the database (default: on).
void write_back_on_close(SQLite::Database& db, bool on) {
  db.check(sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr));
}

void refuse_damaged(SQLite::Database& db, const std::string& path) {
  const std::string verdict = db.execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict != "ok") throw bad_database(path, fmt::format("damaged ({})", printable(verdict, 200)), kRescue);
}

/// Nothing that the file defines has any effect before its schema is known to be ours.
void accept(SQLite::Database& db, const std::string& path) {
  const StepLimits limits(db);
  distrust(db);
  refuse_foreign_schema(db, path);
  refuse_damaged(db, path);
  bring_up_to_date(db, path);
}

/// `has_log`: a write-ahead log existed before. It stays unchanged until the database is accepted.
void prepare(SQLite::Database& db, bool has_log, const std::string& path, std::chrono::milliseconds busy_timeout) {
  write_back_on_close(db, !has_log);
  accept(db, path);
  use_write_ahead_log(db, busy_timeout);
  // A killed process loses nothing: what is committed is with the kernel. Only a power cut may take the last commits,
  // and leaves a consistent database. FULL would wait for the disk on every hit: 0.28 ms instead of 0.05 on our
  // machine.
  db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  write_back_on_close(db, true);
}

}  // namespace

nlohmann::json from_json_text(const std::string& text, std::string_view what, const std::string& path) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) throw bad_database(path, fmt::format("{} is not JSON", what), "correct it");
  return value;
}

/// Looks at the header with plain reads, because SQLite itself would already recover the write-ahead log of a database
/// that is none of our business.
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
    throw_trouble(path, error);
  }
}

std::unique_ptr<SQLite::Database> open_to_read(const std::string& path, std::chrono::milliseconds busy_timeout) {
  const fs::path file = real_path(path);
  const bool writable = is_accessible(file, R_OK | W_OK) && is_accessible(file.parent_path(), W_OK | X_OK);
  try {
    if (writable) return open_database(path, busy_timeout);
  } catch (const Locked&) {
    throw;
  } catch (const SystemError&) {  // the disk is full: there is no room for what SQLite keeps beside the file
  }
  return open_copy(path, busy_timeout);
}

std::unique_ptr<SQLite::Database> open_copy(const std::string& path, std::chrono::milliseconds busy_timeout) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw bad_database(path, fs::exists(path, error) ? "not a regular file" : "does not exist",
                       "choose a database made by convict");
  require_our_header(path);
  try {
    const auto original = open_original(real_path(path), busy_timeout);
    auto copy = std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup(*copy, *original).executeStep();
    accept(*copy, path);
    return copy;
  } catch (const SQLite::Exception& exception) {
    throw_trouble(path, exception);
  }
}

Ownership::Ownership(Ownership&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Ownership& Ownership::operator=(Ownership&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Ownership::~Ownership() {
  if (fd_ >= 0) close(fd_);
}

std::optional<Ownership> Ownership::take(const std::string& path, int64_t campaign) {
  constexpr off_t kFirstByte = off_t{1} << 62;  // SQLite locks bytes from 2^30 on, and no database is that large
  Ownership ownership(open(path.c_str(), O_RDWR | O_CLOEXEC));
  // A lock of the open file, not of the process, survives if other code of this process closes the same file.
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstByte + static_cast<off_t>(campaign);
  lock.l_len = 1;
  const bool taken = fcntl(ownership.fd_, F_OFD_SETLK, &lock) == 0;
  if (!taken && (errno == EAGAIN || errno == EACCES)) return std::nullopt;
  return ownership;
}

}  // namespace convict::store

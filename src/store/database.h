// SPDX-License-Identifier: Apache-2.0
//
// Opens a database file of ours: checks that it is sound and migrates it to the current schema, or throws one line.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "store/sqlite.h"

namespace convict::store {

/// Whether there is a database. Throws UsageError for a file that is none, and for a place where none can be made.
bool existing_database(const std::string& path);

/// Opens `path` for reading and writing; creates it if missing, migrates it if older. Throws UsageError, or SystemError
/// if the disk fails; also for a file with another schema than that of convict. Leaves a refused file
/// unchanged, and removes a file that it could not create completely.
std::unique_ptr<SQLite::Database> open_database(const std::string& path, std::chrono::milliseconds busy_timeout);

/// Opens a database that has to exist for reading. It need not be writable, nor be in a directory that is: such a file
/// is read by open_copy. Throws UsageError for every file that open_database refuses otherwise.
std::unique_ptr<SQLite::Database> open_to_read(const std::string& path, std::chrono::milliseconds busy_timeout);

/// Copies the database into memory, with the current schema. Writes neither the file nor its log; other processes may
/// use it. Throws UsageError for every file that open_database refuses, and for an empty one.
std::unique_ptr<SQLite::Database> open_copy(const std::string& path, std::chrono::milliseconds busy_timeout);

/// Parses a JSON column. SQLite's json_valid() admits numbers and bytes that other parsers refuse: then throws
/// UsageError, in which `what` names the column.
nlohmann::json from_json_text(const std::string& text, std::string_view what, const std::string& path);

/// Throws UsageError unless the tables and indexes, and all else that a schema can define, are exactly those of the
/// version that the file says it has: the present one, or the one before. `path` is for messages.
void refuse_foreign_schema(SQLite::Database& db, const std::string& path);

/// Makes an empty database a new one, and one of the version before one of the present version. Precondition: its
/// schema is ours.
void bring_up_to_date(SQLite::Database& db, const std::string& path);

/// Marks a campaign of a database as run by this process, while this object lives. The kernel ends the mark even after
/// a kill -9, so a campaign that is said to run and that no process owns was killed.
///
/// The mark is a lock on one byte of the database file, far behind its end and everything SQLite locks. Closing a file
/// drops SQLite's locks on it in the same process (fcntl(2)): an Ownership must outlive every Store of its file.
class Ownership {
 public:
  /// Returns nullopt if another process owns the campaign. On a file system without locks, always succeeds.
  static std::optional<Ownership> take(const std::string& path, int64_t campaign);

  Ownership(Ownership&& other) noexcept;
  Ownership& operator=(Ownership&& other) noexcept;
  ~Ownership();

 private:
  explicit Ownership(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace convict::store

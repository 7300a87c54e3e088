// SPDX-License-Identifier: Apache-2.0
//
// Opens a database file of ours: checks that it is sound and migrates it to the current schema, or throws one line.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "store/trouble.h"

namespace convict::store {

/// Whether there is a database. Throws UsageError for a file that is none, and for a place where none can be made.
bool existing_database(const std::string& path);

/// Opens `path` for reading and writing; creates it if missing, migrates it if older. Throws UsageError, or SystemError
/// if the disk fails; also for a file with another schema than that of convict (migration.h). Leaves a refused file
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

/// Replaces bytes that are not UTF-8 instead of refusing them: a crashed process may have printed anything.
std::string to_json_text(const nlohmann::json& value);

}  // namespace convict::store

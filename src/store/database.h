// SPDX-License-Identifier: Apache-2.0
//
// From a file name to a database that is ours, sound and of the current schema, or to one line that says why not.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace convict::store {

/// "database 'nightly.db': <what is wrong>; <what would be valid>".
UsageError bad_database(const std::string& path, std::string_view what, std::string_view valid);

/// The same for an error SQLite met while at work.
UsageError bad_database(const std::string& path, const SQLite::Exception& error);

/// Opens `path` for reading and writing, creates it if missing and migrates it if older. A file that is refused is left
/// as it was, and a file that could not be created completely is removed.
std::unique_ptr<SQLite::Database> open_database(const std::string& path, std::chrono::milliseconds busy_timeout);

/// A copy in memory, of the current schema. Neither the file nor its log is written, and it may be in use. Throws
/// UsageError for all that open_database refuses, and for a file without a byte.
std::unique_ptr<SQLite::Database> open_copy(const std::string& path, std::chrono::milliseconds busy_timeout);

/// Brings `db` to version steps.size(), each step in a transaction of its own. `path` is for messages.
void migrate(SQLite::Database& db, std::span<const char* const> steps, const std::string& path);

/// A column that holds JSON as far as SQLite can tell: its json_valid() admits numbers and bytes that other parsers do
/// not. `what` names it in the UsageError if there is no value in it.
nlohmann::json from_json_text(const std::string& text, std::string_view what, const std::string& path);

/// A crashed process may have printed anything: what is not UTF-8 is replaced instead of refused.
std::string to_json_text(const nlohmann::json& value);

}  // namespace convict::store

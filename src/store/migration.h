// SPDX-License-Identifier: Apache-2.0
//
// The schema of a database: which version it has, that it is ours, and how it becomes the current one.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <span>
#include <string>

namespace convict::store {

/// The steps that make an empty database one of the current version (schema.h). Step number n, counted from 1, turns
/// version n - 1 into version n.
using Steps = std::span<const char* const>;

/// The version of the schema, from 0 to steps.size(). Throws UsageError for any other number. `path` is for messages.
int version_of(SQLite::Database& db, Steps steps, const std::string& path);

/// Throws UsageError unless tables and indexes are those that the steps up to its version make, and there is nothing
/// else: no trigger, no view, no check or generated column of somebody else.
void refuse_foreign_schema(SQLite::Database& db, Steps steps, const std::string& path);

/// Brings `db` to version steps.size(), each step in a transaction of its own.
void migrate(SQLite::Database& db, Steps steps, const std::string& path);

}  // namespace convict::store

// SPDX-License-Identifier: Apache-2.0
//
// The schema of a database: which version it has, that it is ours, and how it becomes the present one.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <string_view>

namespace convict::store {

/// 32 hexadecimal digits that depend on the text alone: FNV-1a (as for cases) from two different starts.
std::string fingerprint(std::string_view text);

/// Makes fingerprint() known to SQL.
void define_functions(SQLite::Database& db);

/// Throws UsageError unless the tables and indexes, and all else that a schema can define, are exactly those of the
/// version that the file says it has: the present one, or the one before. `path` is for messages.
void refuse_foreign_schema(SQLite::Database& db, const std::string& path);

/// Makes an empty database a new one, and one of the version before one of the present version. Precondition: its
/// schema is ours.
void bring_up_to_date(SQLite::Database& db, const std::string& path);

}  // namespace convict::store

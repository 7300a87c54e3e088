// SPDX-License-Identifier: Apache-2.0
//
// The inputs of fuzz_database. The first byte says what the rest is:
// - 'r': the bytes of a database file.
// - 'h': fields of the file's header that are overwritten in a sound database, e.g. the version of its schema.
// - 's': statements of views, triggers, tables and indexes that are added to the schema of a sound database.
// - any other: values that plain SQL writes into columns of a sound database. That database has coverage only if the
//   byte is 'c', because coverage takes longer to read than all the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convict::fuzz {

inline constexpr char kRawFile = 'r', kHeader = 'h', kSchema = 's', kEdits = 'e', kEditsWithCoverage = 'c';

/// Bytes of one header edit: the number of the field (modulo kHeaderFields), and its value as a signed byte and by how
/// many bytes that is shifted (modulo 4). So every second edit has a value below 0.
inline constexpr size_t kHeaderEdit = 3, kHeaderFields = 18;

/// Separates the edits. The first byte of an edit is the column, the second byte is EditAs, the rest is the value.
inline constexpr char kEditSeparator = '\x1e';

/// The type of the written value: bits 0 and 1 of the second byte. Bit 2 limits the edit to the first row.
enum class EditAs { kText = 0, kBlob = 1, kNumber = 2, kNull = 3 };

/// Every column of our tables, e.g. "mismatches.certificate", in the order of the schema.
std::vector<std::string> database_columns(const std::string& path);

/// Writes a database of two campaigns with explained and unexplained mismatches. Replaces the file.
void write_sound_database(const std::string& path, bool with_coverage = false);

/// Overwrites fields in the header of a database file. The database must be closed.
void edit_header(const std::string& path, std::string_view edits);

/// Adds definitions to the schema, separated by kEditSeparator: the first byte is the type, the rest the statement.
/// SQLite does not see it before it opens the file again.
void edit_schema(const std::string& path, std::string_view definitions);

/// Applies the edits to the database. Skips an edit that the schema refuses.
void edit_database(const std::string& path, std::string_view edits);

}  // namespace convict::fuzz

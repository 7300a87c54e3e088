// SPDX-License-Identifier: Apache-2.0
//
// The inputs of fuzz_database. After a first byte 'r', the rest is the bytes of a database file. After any other byte,
// the rest is edits: values that plain SQL writes into columns of a sound database. That database has coverage only if
// the first byte is 'c', because coverage takes longer to read than all the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convict::fuzz {

inline constexpr char kRawFile = 'r', kEdits = 'e', kEditsWithCoverage = 'c';

/// Separates the edits. The first byte of an edit is the column, the second byte is EditAs, the rest is the value.
inline constexpr char kEditSeparator = '\x1e';

/// The type of the written value: bits 0 and 1 of the second byte. Bit 2 limits the edit to the first row.
enum class EditAs { kText = 0, kBlob = 1, kNumber = 2, kNull = 3 };

/// Every column of our tables, e.g. "mismatches.certificate", in the order of the schema.
std::vector<std::string> database_columns(const std::string& path);

/// Writes a database of two campaigns with explained and unexplained mismatches. Replaces the file.
void write_sound_database(const std::string& path, bool with_coverage = false);

/// Applies the edits to the database. Skips an edit that the schema refuses.
void edit_database(const std::string& path, std::string_view edits);

}  // namespace convict::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// The inputs of fuzz_database. The first byte says what the rest is: 'r', the bytes of a file; anything else, what to
// write into the columns of a sound database, with plain SQL: as anybody can. That database has coverage, which takes
// longer to read than all the rest, for 'c' only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convict::fuzz {

inline constexpr char kRawFile = 'r', kEdits = 'e', kEditsWithCoverage = 'c';

/// Parts the edits of an input: of each, the first byte is the column, the second how, the rest the value.
inline constexpr char kEditSeparator = '\x1e';

/// How a value is written, in bits 0 and 1 of the second byte; with bit 2, into the first row only.
enum class EditAs { kText = 0, kBlob = 1, kNumber = 2, kNull = 3 };

/// Every column of the tables of ours, "mismatches.certificate", in the order of the schema.
std::vector<std::string> database_columns(const std::string& path);

/// A database of two campaigns, explained mismatches and others. Replaces the file.
void write_sound_database(const std::string& path, bool with_coverage = false);

/// Writes the edits to the database. What the schema refuses is left out.
void edit_database(const std::string& path, std::string_view edits);

}  // namespace convict::fuzz

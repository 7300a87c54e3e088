// SPDX-License-Identifier: Apache-2.0
//
// Shared by the tests of report writers: a handmade report with hostile strings, and files to compare with.
// CONVICT_REWRITE_GOLDEN=1 in the environment rewrites tests/golden/ instead of comparing; look at the difference
// before committing it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "reports/writer.h"

namespace convict::test {

/// A text of control characters, quotes, end markers, a formula, Markdown, HTML, invalid UTF-8 and characters that XML
/// forbids.
std::string hostile_text();

/// Five mismatches (new, of an oracle and hostile, known, fixed but seen again, with the verdict of a later version),
/// two campaigns, a profile, a score.
report::Report sample_report();

/// The report of a database that no campaign has written to.
report::Report empty_report();

/// The sample, with `mismatches` copies of its hostile mismatch instead, each with a note of `note_bytes` bytes.
report::Report large_report(size_t mismatches, size_t note_bytes);

std::string written(const std::string& format, const report::Report& report);

/// Whether `text` equals the file tests/golden/report.<format>.
testing::AssertionResult is_golden(const std::string& format, const std::string& text);

/// Whether all of it is UTF-8 without control characters other than line feeds, and carriage returns before them.
bool is_clean(const std::string& text);

}  // namespace convict::test

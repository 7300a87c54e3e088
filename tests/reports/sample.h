// SPDX-License-Identifier: Apache-2.0
//
// What the tests of report writers share: a report made by hand whose strings try to be everything but text, and files
// to compare with. CONVICT_REWRITE_GOLDEN=1 in the environment rewrites tests/golden/ instead of comparing; look at the
// difference before committing it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "reports/writer.h"

namespace convict::test {

/// Control characters, quotes, the ends of everything, a formula, Markdown, HTML, what is no UTF-8 and what XML
/// forbids.
std::string hostile_text();

/// Five mismatches (new, of an oracle and hostile, known, fixed but seen again, of a verdict of the future), two
/// campaigns, a profile, a score.
report::Report sample_report();

/// Of a database that no campaign has written to yet.
report::Report empty_report();

/// The sample with so many copies of its hostile mismatch instead, each with a note of so many bytes.
report::Report large_report(size_t mismatches, size_t note_bytes);

std::string written(const std::string& format, const report::Report& report);

/// Whether this is what tests/golden/report.<format> holds.
testing::AssertionResult is_golden(const std::string& format, const std::string& text);

/// Whether all of it is UTF-8 without control characters other than line feeds, and carriage returns before them.
bool is_clean(const std::string& text);

}  // namespace convict::test

// SPDX-License-Identifier: Apache-2.0
//
// Handmade reports for tests of writers.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace convict::test {

/// A database in which nothing was ever recorded.
report::Report empty_page_report();

/// A report with each status, maps with and without values, scores, progress, and an unexplained row.
report::Report page_report();

/// `rows` different mismatches with long lines, and as many other facts as a year of nightly campaigns leaves.
report::Report large_report(size_t rows);

/// A report of hostile texts: tags, comments, quotes, control characters, invalid UTF-8, a note of a megabyte, an
/// invalid certificate and an invalid case.
report::Report hostile_report();

}  // namespace convict::test

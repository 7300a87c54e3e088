// SPDX-License-Identifier: Apache-2.0
//
// Reports made by hand, for writers to be tried on.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace convict::test {

/// A database in which nothing was ever recorded.
report::Report empty_page_report();

/// A bit of everything: each status, maps with and without values, scores, progress, an unexplained row.
report::Report page_report();

/// `rows` different mismatches with long lines, and as many other facts as a year of nightly campaigns leaves.
report::Report large_report(size_t rows);

/// Every text is one that breaks out of something: tags, comments, quotes, control characters, invalid UTF-8, a note of
/// a megabyte, a certificate and a case that make no sense.
report::Report hostile_report();

}  // namespace convict::test

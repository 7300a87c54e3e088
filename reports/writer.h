// SPDX-License-Identifier: Apache-2.0
//
// Report writers: each writes the facts of a database in one format. One file each, reports/<name>.cpp, defines
// `report_<name>`; the build lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/report.h"

namespace convict::reports {

struct ReportWriter {
  std::string_view name;  // "junit", as in --format
  std::string_view help;  // one line
  /// Returns the whole file. Every string in a report may be hostile: anybody may have written the database.
  std::string (*write)(const report::Report& report);
  bool shows_coverage = true;       // false: Report::profiles, which take longest, are not computed
  bool is_about_oracles = false;    // true: without --suspect, it gets the mismatches of oracles only
  std::string_view extension = {};  // of its file beside those of other formats; none: its name
};

/// All writers, sorted by name.
std::span<const ReportWriter* const> all();

}  // namespace convict::reports

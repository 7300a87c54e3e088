// SPDX-License-Identifier: Apache-2.0
//
// Report writers: what a database says, in one format. One file each, reports/<name>.cpp, which defines
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
  /// The whole file. Every string in a report may be hostile: anybody may have written the database.
  std::string (*write)(const report::Report& report);
  bool shows_coverage = true;     // else nobody has to spend seconds on Report::profiles
  bool is_about_oracles = false;  // without --suspect it wants the mismatches of oracles and of nobody else
};

/// All of them, sorted by name.
std::span<const ReportWriter* const> all();

}  // namespace convict::reports

// SPDX-License-Identifier: Apache-2.0
//
// Parses points in time, for options that select by time.
#pragma once

#include <string>

namespace convict::cli {

/// Turns "2026-11-21" or "2026-11-21T02:13:28Z" into the latter form; appends `time` to a day, "T00:00:00Z" for its
/// first second. Empty text stays empty. Throws UsageError naming `flag`.
std::string parse_date(const std::string& text, const char* flag, const char* time);

}  // namespace convict::cli

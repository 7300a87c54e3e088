// SPDX-License-Identifier: Apache-2.0
//
// Points in time as people write them, for options that select by time.
#pragma once

#include <string>

namespace convict::cli {

/// "2026-11-21" or "2026-11-21T02:13:28Z" in full; a day gets `time`, "T00:00:00Z" for its first second. Nothing stays
/// nothing. Throws UsageError naming `flag`.
std::string parse_date(const std::string& text, const char* flag, const char* time);

}  // namespace convict::cli

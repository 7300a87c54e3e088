// SPDX-License-Identifier: Apache-2.0
#include "cli/dates.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "core/error.h"
#include "core/text.h"

namespace convict::cli {

std::string parse_date(const std::string& text, const char* flag, const char* time) {
  if (text.empty()) return "";
  std::tm parsed{};
  const bool day_only = text.size() == 10;
  const std::string full = day_only ? text + time : text;
  const char* end = strptime(full.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed);
  const std::chrono::year_month_day day{std::chrono::year(parsed.tm_year + 1900),
                                        std::chrono::month(static_cast<unsigned>(parsed.tm_mon + 1)),
                                        std::chrono::day(static_cast<unsigned>(parsed.tm_mday))};
  if (!end || *end != 0 || full.size() != 20 || !day.ok())  // two digits each: times are compared as text
    throw UsageError(
        fmt::format("{}: '{}' is not valid; valid: 2026-11-21, 2026-11-21T02:13:28Z (UTC)", flag, printable(text)));
  return full;
}

}  // namespace convict::cli

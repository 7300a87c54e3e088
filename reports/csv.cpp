// SPDX-License-Identifier: Apache-2.0
//
// Writes mismatches as a table for spreadsheets (RFC 4180): a row of column names, then one row per signature.
#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "reports/shared/foreign_text.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && end == text.data() + text.size();
}

/// Whether spreadsheets would run the text as a formula, because of its first character. An apostrophe before it
/// prevents that. The last four characters are the full-width forms of the first four, which some programs accept too.
bool looks_like_a_formula(std::string_view text) {
  for (const char* start : {"=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"})
    if (text.starts_with(start)) return !is_number(text);
  return false;
}

std::string cell(const std::string& foreign) {
  std::string text = valid_text(foreign);
  if (looks_like_a_formula(text)) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string line(const report::MismatchReport& one) {
  const store::MismatchRow& row = one.row;
  std::string text = fmt::format("{}", row.id);
  for (const std::string& foreign : {row.effective_status, row.suspect, row.verdict, row.blame, row.operation})
    text += "," + cell(foreign);
  text += fmt::format(",{}", row.hits);
  for (const std::string& foreign : {row.first_seen, row.last_seen, row.best_text(), row.predicate, row.geography,
                                     row.link, row.note, row.signature, one.repro})
    text += "," + cell(foreign);
  return text + "\r\n";
}

std::string as_table(const report::Report& report) {
  std::string text =
      "id,status,suspect,verdict,blame,operation,hits,first_seen,last_seen,case,predicate,geography,link,note,"
      "signature,repro\r\n";
  for (const report::MismatchReport& one : report.mismatches) text += line(one);
  return text;
}

}  // namespace

extern const ReportWriter report_csv = {"csv", "mismatches as a table for spreadsheets", as_table, false};

}  // namespace convict::reports

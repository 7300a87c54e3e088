// SPDX-License-Identifier: Apache-2.0
//
// Writes the summary of a CI job: a table with failing mismatches first, details folded. GitHub shows at most 1 MiB,
// and nothing of a longer summary, so rows and details are added while there is room. Foreign text is in code, where it
// is neither Markdown nor HTML, mentions nobody, and makes no links.
#include <fmt/format.h>

#include <algorithm>

#include "core/plain_words.h"
#include "core/text.h"
#include "reports/shared/causes.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/foreign_text.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

constexpr size_t kRoomForTable = 400'000, kRoom = 900'000;  // bytes, each from the beginning
constexpr size_t kName = 80, kCell = 400;                   // bytes of a text in the table

/// Text as HTML code, for the one line of a summary.
std::string html_code(const std::string& text) {
  std::string result;
  for (const char c : printable(text, kName)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '`': result += '\''; break;
      default: result += c;
    }
  }
  return "<code>" + result + "</code>";
}

/// A row of the table: a cause.
std::string row_of(const CauseGroup& group) {
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", code_cell(group.number(), kName),
                     code_cell(standing(group.first()), kName), code_cell(group.suspects(), kName),
                     code_cell(group.cause.title, kCell), code_cell(group.operations(), kName), group.hits(),
                     code_cell(group.first().row.best_text(), kCell));
}

/// One indented line of a code block; the indent keeps it from ending the block.
std::string line(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format("    {}: {}\n", name, printable(text, kLongestText));
}

std::string details_of(const report::MismatchReport& one) {
  const store::MismatchRow& row = one.row;
  std::string text = fmt::format("\n<details><summary>#{} {} {} {}</summary>\n\n", row.id, html_code(row.suspect),
                                 html_code(row.verdict), html_code(row.operation));
  std::string lines = line("case", row.best_text()) + line("shows if", row.shows_if()) +
                      line("where", place_in_words(row.geography)) +
                      line("repro", one.repro) + line("status", standing(one)) + line("link", row.link) +
                      line("note", row.note) + line("first seen", row.first_seen) + line("last seen", row.last_seen);
  return text + code_block(lines + "\n" + describe_certificate(row.best_certificate())) + "\n</details>\n";
}

std::string head_of(const report::Report& report, const std::vector<CauseGroup>& groups) {
  const auto failing = std::ranges::count_if(groups, &CauseGroup::fails);
  std::string text = fmt::format(
      "## convict: {}\n\n",
      failing == 0 ? "no new cause of a target" : counted(static_cast<uint64_t>(failing), "new cause"));
  text += fmt::format("Database {}: {}, {}; {}.\n", code_span(report.database, kCell),
                      counted(report.campaigns.size(), "campaign"), counted(report.signatures.cases, "case"),
                      causes_in_a_line(groups));
  for (size_t i = 0; i < report.notes.size() && i < 20; ++i)
    text += "\nNote: " + code_span(report.notes[i], kCell) + "\n";
  return text;
}

std::string left_out(size_t count, const char* what) {
  return fmt::format("\n{} more {} do not fit here: `convict report --format json` has them.\n", count, what);
}

std::string as_markdown(const report::Report& report) {
  const std::vector<CauseGroup> groups = by_cause(report);
  std::string text = head_of(report, groups);
  if (groups.empty()) return text;
  text += "\n| # | status | suspects | cause | operations | hits | case |\n|---|---|---|---|---|---|---|\n";
  std::vector<const report::MismatchReport*> order;
  for (const CauseGroup& group : groups) order.insert(order.end(), group.rows.begin(), group.rows.end());
  size_t rows = 0, details = 0;
  for (; rows < groups.size(); ++rows) {
    const std::string row = row_of(groups[rows]);
    if (text.size() + row.size() > kRoomForTable) break;
    text += row;
  }
  if (rows < groups.size()) text += left_out(groups.size() - rows, "causes");
  for (; details < order.size(); ++details) {
    const std::string detail = details_of(*order[details]);
    if (text.size() + detail.size() > kRoom) break;
    text += detail;
  }
  return details == order.size() ? text : text + left_out(order.size() - details, "details");
}

}  // namespace

extern const ReportWriter report_markdown = {
    "markdown", "the summary of a CI job, at most 1 MB", as_markdown, false, false, "md"};

}  // namespace convict::reports

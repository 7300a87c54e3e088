// SPDX-License-Identifier: Apache-2.0
#include "cli/show_cause.h"

#include <fmt/format.h>

#include "core/cause.h"
#include "core/error.h"
#include "core/text.h"
#include "reports/shared/standing.h"
#include "reports/shared/verdict_text.h"

namespace convict::cli {
namespace {

std::string cause_line(std::string_view name, std::string_view text) {
  return text.empty() ? "" : fmt::format("  {:<10} {}\n", name, printable(text, kLongestShown));
}

/// The sentence of a verdict; nothing for an unknown one.
std::string meaning(const std::string& verdict) try {
  return fmt::format("{}: {}", verdict, reports::meaning_of(verdict_named(verdict)));
} catch (const UsageError&) {
  return verdict;
}

std::string versions_of(const store::CauseRow& cause) try {
  return cause.block.empty() ? "" : parse_causes(cause.block, "").at(0).versions.text();
} catch (const UsageError&) {  // of another version
  return "";
}

}  // namespace

std::string cause_as_text(const reports::CauseGroup& group) {
  const report::MismatchReport& first = group.first();
  std::string text = fmt::format("{}: {}\n", group.number(), printable(group.cause.title, kLongestShown));
  text += cause_line("status", group.status()) + cause_line("suspects", group.suspects()) +
          cause_line("versions", versions_of(group.cause)) + cause_line("blame", group.blame()) +
          cause_line("verdict", meaning(first.row.verdict)) + cause_line("shows if", group.shows_if()) +
          cause_line("operations", group.operations()) + cause_line("link", group.cause.link);
  for (const std::string_view note : split(group.cause.note, '\n')) text += cause_line("note", note);
  text += fmt::format("  {:<10} {} in {} mismatches\n", "hits", with_commas(static_cast<uint64_t>(group.hits())),
                      group.rows.size());
  for (const report::MismatchReport* one : group.rows)
    text += fmt::format("  #{} {} {} {} ({}, {} hits)\n    {}\n", one->row.id, printable(one->row.suspect),
                        printable(one->row.verdict), printable(one->row.operation),
                        printable(reports::standing(*one), 200), one->row.hits, printable(one->repro, kLongestShown));
  return text;
}

}  // namespace convict::cli

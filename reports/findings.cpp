// SPDX-License-Identifier: Apache-2.0
//
// Writes the mismatches of oracles as a page for people without the database.
#include <fmt/format.h>

#include <set>

#include "core/plain_words.h"
#include "core/text.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/foreign_text.h"
#include "reports/writer.h"

namespace convict::reports {
namespace {

/// The versions of the suspect in the campaigns that saw the mismatch.
std::string versions_of(const report::MismatchReport& mismatch) {
  const auto& [row, sightings, repro] = mismatch;
  std::set<std::string> versions;
  for (const store::CampaignSighting& one : sightings)
    if (one.libraries.contains(row.suspect) && one.libraries[row.suspect].is_string())
      versions.insert(prose(one.libraries[row.suspect].get<std::string>(), 80));
  return versions.empty() ? "" : fmt::format(" {}", fmt::join(versions, ", "));
}

std::string repro_lines(const store::MismatchRow& row) {
  std::string text =
      fmt::format("$ convict repro --{} {} '{}'\n", row.blame == name_of(Blame::kOracle) ? "oracle" : "target",
                  printable(row.suspect), printable(row.best_text(), kLongestText));
  return code_block(text + describe_certificate(row.best_certificate()));
}

std::string section(const report::MismatchReport& one, int number) {
  const store::MismatchRow& row = one.row;
  std::string text =
      fmt::format("\n## {}. {}{}: {}\n", number, prose(row.suspect, 80), versions_of(one), prose(row.verdict, 80));
  text += fmt::format("Operation {}, {}.", code_span(row.operation), row.shrunk_text ? "shrunk" : "not shrunk");
  if (row.is_explained())
    text += row.predicate.empty() ? " On which cases it shows is not known."
                                  : fmt::format(" It shows if {}.", code_span(row.predicate));
  if (!row.geography.empty()) text += fmt::format(" Where: {}.", prose(place_in_words(row.geography)));
  text += "\n" + repro_lines(row);
  text += fmt::format("Status: {}{}{}. Seen {} times, from {} to {}.\n", prose(row.status_text()),
                      row.link.empty() ? "" : ", ", row.link.empty() ? "" : link_text(row.link), row.hits,
                      prose(row.first_seen), prose(row.last_seen));
  return text + paragraphs(row.note);
}

std::string as_page(const report::Report& report) {
  std::string text =
      "# Findings\n\n"
      "What campaigns have found in the libraries that convict is compared with, from their database: "
      "`convict report --format findings`.\n";
  int number = 0;
  for (const report::MismatchReport& one : report.mismatches) text += section(one, ++number);
  return number == 0 ? text + "\nNothing.\n" : text;
}

}  // namespace

extern const ReportWriter report_findings = {
    "findings", "a page about what oracles got wrong (Markdown)", as_page, false, true, "findings.md"};

}  // namespace convict::reports

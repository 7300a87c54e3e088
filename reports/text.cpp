// SPDX-License-Identifier: Apache-2.0
//
// For people at a terminal.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/writer.h"

namespace convict {
namespace {

std::string in_words(const Share& share) {
  // Rounded down: 100 % is said of all only.
  return fmt::format("{:.1f} % ({} of {})", static_cast<int>(10 * share.percent()) / 10.0, with_commas(share.seen),
                     with_commas(share.reachable));
}

std::string profile_text(const ProfileReport& report) {
  std::string text = fmt::format("profile {}: {} legal cases\n", report.profile, with_commas(report.cases));
  text += fmt::format("  2-way coverage  {} of the reachable combinations of two features\n", in_words(report.pairs));
  text += fmt::format("  3-way coverage  {} of three\n", in_words(report.triples));
  text += fmt::format(
      "  the next case shows about {:.4g} combinations never seen; the chance that it shows any is at most {:.4g}\n",
      report.expected_unseen, report.chance_of_unseen);
  const uint32_t unseen = report.pairs.reachable - report.pairs.seen + report.triples.reachable - report.triples.seen;
  if (unseen == 0) return text + "  every reachable combination has been seen\n";
  if (report.emptiest.empty()) return text;
  text += fmt::format("  never seen, {} of {}:\n", report.emptiest.size(), with_commas(unseen));
  for (const std::string& name : report.emptiest) text += "    " + name + "\n";
  return text;
}

std::string mismatches_text(const Report& report) {
  const SignatureReport& signatures = report.signatures;
  std::string text = fmt::format("mismatches: {} signatures of targets and oracles in {} cases, {} of them hit once\n",
                                 signatures.signatures, with_commas(signatures.cases), signatures.hit_once);
  text += "  chance that the next case shows a new signature: ";
  text += signatures.hit_once > 0 || signatures.cases == 0
              ? fmt::format("at most about {:.4g}\n", signatures.chance_of_new())
              : fmt::format("below about 1 in {}\n", with_commas(signatures.cases));  // an estimate of 0 proves nothing
  for (const std::string_view status : kStatuses) {
    const auto count = std::ranges::count(report.mismatches, status,
                                          [](const MismatchReport& one) { return one.row.effective_status; });
    if (count == 0) continue;
    text += fmt::format("  {}: {}\n", status, count);
    for (const auto& [row, sightings, repro] : report.mismatches)
      if (row.effective_status == status)
        text += fmt::format("    #{} {} {} ({}, {} hits{})  {}\n", row.id, printable(row.suspect),
                            printable(row.verdict), row.blame, row.hits,
                            row.effective_status == row.status ? "" : ", " + printable(row.status_text(), 200),
                            printable(row.best_text(), 4096));
  }
  return text;
}

std::string as_text(const Report& report) {
  std::string text = fmt::format("convict report: {}\n", report.database);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  if (report.profiles.empty()) text += "no coverage recorded\n";
  for (const ProfileReport& one : report.profiles) text += profile_text(one);
  return text + mismatches_text(report);
}

}  // namespace

extern const ReportWriter report_text = {"text", "for a terminal", as_text};

}  // namespace convict

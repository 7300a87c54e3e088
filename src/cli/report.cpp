// SPDX-License-Identifier: Apache-2.0
//
// `convict report`: what a database says about coverage and mismatches, in words.
#include "report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/options.h"
#include "core/text.h"

namespace convict {
namespace {

using nlohmann::json;

struct ReportOptions {
  OutputOptions out;
  ReportSettings settings;
  std::string suspect;
};

std::string in_words(const Share& share) {
  // Rounded down: 100 % is said of all only.
  return fmt::format("{:.1f} % ({} of {})", static_cast<int>(10 * share.percent()) / 10.0, with_commas(share.seen),
                     with_commas(share.reachable));
}

std::string profile_text(const ProfileReport& report, size_t most) {
  std::string text = fmt::format("profile {}: {} legal cases\n", report.profile, with_commas(report.cases));
  text += fmt::format("  2-way coverage  {} of the reachable combinations of two features\n", in_words(report.pairs));
  text += fmt::format("  3-way coverage  {} of three\n", in_words(report.triples));
  text += fmt::format(
      "  the next case shows about {:.4g} combinations never seen; the chance that it shows any is at most {:.4g}\n",
      report.expected_unseen, report.chance_of_unseen);
  const uint32_t unseen = report.pairs.reachable - report.pairs.seen + report.triples.reachable - report.triples.seen;
  if (unseen == 0) return text + "  every reachable combination has been seen\n";
  if (most == 0) return text;
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
    const auto count = std::ranges::count(report.mismatches, status, &MismatchRow::effective_status);
    if (count == 0) continue;
    text += fmt::format("  {}: {}\n", status, count);
    for (const MismatchRow& row : report.mismatches)
      if (row.effective_status == status)
        text += fmt::format("    #{} {} {} ({}, {} hits{})  {}\n", row.id, printable(row.suspect),
                            printable(row.verdict), row.blame, row.hits,
                            row.effective_status == row.status ? "" : ", " + printable(row.status_text(), 200),
                            printable(row.best_text(), 4096));
  }
  return text;
}

std::string as_text(const Report& report, size_t most) {
  std::string text = fmt::format("convict report: {}\n", report.database);
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  if (report.profiles.empty()) text += "no coverage recorded\n";
  for (const ProfileReport& one : report.profiles) text += profile_text(one, most);
  return text + mismatches_text(report);
}

json to_json(const Share& share) {
  return {{"seen", share.seen}, {"reachable", share.reachable}, {"percent", share.percent()}};
}

std::string as_json(const Report& report) {
  json document = {{"database", report.database},
                   {"notes", report.notes},
                   {"profiles", json::array()},
                   {"signatures",
                    {{"cases", report.signatures.cases},
                     {"count", report.signatures.signatures},
                     {"hit_once", report.signatures.hit_once},
                     {"chance_of_new", report.signatures.chance_of_new()}}},
                   {"mismatches", json::array()}};
  for (const ProfileReport& one : report.profiles)
    document["profiles"].push_back({{"profile", one.profile},
                                    {"cases", one.cases},
                                    {"pairs", to_json(one.pairs)},
                                    {"triples", to_json(one.triples)},
                                    {"emptiest", one.emptiest},
                                    {"expected_unseen_next_case", one.expected_unseen},
                                    {"chance_of_unseen_next_case", one.chance_of_unseen}});
  for (const MismatchRow& row : report.mismatches)
    document["mismatches"].push_back({{"id", row.id},
                                      {"status", row.effective_status},
                                      {"suspect", row.suspect},
                                      {"verdict", row.verdict},
                                      {"blame", row.blame},
                                      {"hits", row.hits},
                                      {"case", row.best_text()}});
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int report(const ReportOptions& options) {
  if (options.out.format == "findings") {
    options.out.write(findings_page(existing_store(options.settings.database), options.suspect));
    return kClean;
  }
  const bool quiet = options.out.quiet, terminal = isatty(STDERR_FILENO) != 0;
  const Report facts = make_report(options.settings, [&](const std::string& profile) {
    if (!quiet)
      fmt::print(stderr, "{}working out what profile {} can reach ...{}", terminal ? "\r\033[K" : "", profile,
                 terminal ? "" : "\n");
  });
  if (!quiet && terminal) fmt::print(stderr, "\r\033[K");
  options.out.write(options.out.json() ? as_json(facts) : as_text(facts, options.settings.emptiest));
  return kClean;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  options->settings.database = "convict.db";
  CLI::App* command = app.add_subcommand("report", "Show how much has been tried, what was found, and what remains");
  command->footer(
      "Examples:\n"
      "  convict report                                     coverage of every profile, mismatches by status\n"
      "  convict report --db nightly.db --profile smoke --emptiest 30\n"
      "  convict report --format json --output report.json\n"
      "  convict report --format findings --output docs/findings.md    what oracles got wrong, as a page\n"
      "Exit codes: 0 reported, 2 usage or a missing database");
  command->add_option("--db", options->settings.database, "Database of campaigns and mismatches")
      ->capture_default_str();
  command->add_option("--profile", options->settings.profile, "Coverage of this profile only [all in the database]");
  command->add_option("--emptiest", options->settings.emptiest, "How many combinations that were never seen to name")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command->add_option("--suspect", options->suspect, "Findings in this implementation only [in all oracles]");
  options->out.add_to(*command, {"text", "json", "findings"});
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace convict

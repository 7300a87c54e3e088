// SPDX-License-Identifier: Apache-2.0
//
// `convict report`: what a database says about coverage and mismatches, in words.
#include "report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/options.h"
#include "reports/writer.h"

namespace convict {
namespace {

struct ReportOptions {
  OutputOptions out;
  ReportSettings settings;
  std::string suspect;
};

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
  for (const ReportWriter* writer : report_writers())
    if (writer->name == options.out.format) options.out.write(writer->write(facts));
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
  std::vector<std::string> formats = {"findings"};
  for (const ReportWriter* writer : report_writers()) formats.emplace_back(writer->name);
  options->out.add_to(*command, formats);
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace convict

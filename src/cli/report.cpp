// SPDX-License-Identifier: Apache-2.0
//
// `convict report`: writes campaigns, coverage and mismatches of a database in any format of reports/.
#include "report/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "core/error.h"
#include "reports/writer.h"

namespace convict::cli {
namespace {

struct ReportOptions {
  OutputOptions out;
  report::ReportSettings settings;
  std::string folder;  // of --all; empty: one format
  bool new_only = false;
  bool asks_for_coverage = false;  // --profile or --emptiest
};

const reports::ReportWriter& writer_named(const std::string& name) {
  return **std::ranges::find(reports::all(), name, &reports::ReportWriter::name);  // the option has been checked
}

report::ReportSettings settings_for(bool shows_coverage, const ReportOptions& options) {
  report::ReportSettings settings = options.settings;
  settings.coverage = shows_coverage;
  if (options.new_only) settings.mismatches.status = "new";
  settings.mismatches.since = parse_date(settings.mismatches.since, "--since", "T00:00:00Z");
  if (shows_coverage || !options.asks_for_coverage) return settings;
  std::vector<std::string_view> valid;
  for (const reports::ReportWriter* one : reports::all())
    if (one->shows_coverage) valid.push_back(one->name);
  throw UsageError(fmt::format("--profile, --emptiest: --format {} shows no coverage; valid: {}", options.out.format,
                               fmt::join(valid, ", ")));
}

report::Report facts_for(bool shows_coverage, const ReportOptions& options) {
  const bool quiet = options.out.quiet, terminal = isatty(STDERR_FILENO) != 0;
  report::Report facts = report::make_report(settings_for(shows_coverage, options), [&](const std::string& profile) {
    if (!quiet)
      say(fmt::format("{}working out what profile {} can reach ...{}", terminal ? "\r\033[K" : "", profile,
                      terminal ? "" : "\n"));
  });
  if (!quiet && terminal) say("\r\033[K");
  return facts;
}

/// The file of one format, from facts that may be more than it shows.
std::string text_of(const reports::ReportWriter& writer, report::Report facts, const ReportOptions& options) {
  if (!writer.shows_coverage) facts.profiles.clear();
  if (writer.is_about_oracles && options.settings.mismatches.suspect.empty())
    std::erase_if(facts.mismatches,
                  [](const report::MismatchReport& one) { return one.row.blame != name_of(Blame::kOracle); });
  return writer.write(facts);
}

/// What the database says is worked out once: coverage takes longest.
void write_all(const ReportOptions& options) {
  if (!options.out.output.empty()) throw UsageError("--all: writes files of its own; valid: without --output");
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) throw_unwritable("--all", options.folder, error, "a folder, or the name of a new one");
  const report::Report facts = facts_for(true, options);
  for (const reports::ReportWriter* writer : reports::all()) {
    const std::string_view extension = writer->extension.empty() ? writer->name : writer->extension;
    write_file(fmt::format("{}/report.{}", options.folder, extension), text_of(*writer, facts, options), "--all");
  }
}

int report(const ReportOptions& options) {
  if (!options.folder.empty()) {
    write_all(options);
    return kClean;
  }
  const reports::ReportWriter& writer = writer_named(options.out.format);
  options.out.write(text_of(writer, facts_for(writer.shows_coverage, options), options));
  return kClean;
}

std::string footer() {
  std::string text = "Formats:\n";
  for (const reports::ReportWriter* writer : reports::all())
    text += fmt::format("  {:<9} {}\n", writer->name, writer->help);
  return text +
         "Examples:\n"
         "  convict report                                     coverage of every profile, mismatches by status\n"
         "  convict report --db nightly.db --profile smoke --emptiest 30\n"
         "  convict report --new-only --since 2026-11-20 --format markdown >> \"$GITHUB_STEP_SUMMARY\"\n"
         "  convict report --format sarif --output convict.sarif\n"
         "  convict report --db nightly.db --all reports/      every format, worked out once\n"
         "  convict report --format findings --output findings.md    what oracles got wrong, as a page\n"
         "Exit codes: 0 reported, 2 usage or a missing database";
}

void add_filters(Command command, ReportOptions& options) {
  report::ReportSettings& settings = options.settings;
  command.option("--campaign", settings.campaign, "Only this campaign, by its number, and what it saw");
  command.option("--suspect", settings.mismatches.suspect, "Only mismatches of this implementation");
  command.option("--since", settings.mismatches.since,
                 "Only mismatches seen then or later: 2026-11-21, 2026-11-21T02:13:28Z");
  const std::vector<std::string> statuses(kShownStatuses.begin(), kShownStatuses.end());
  const Option status =
      command.option("--status", settings.mismatches.status, "Only mismatches of this status").one_of(statuses);
  command.flag("--new-only", options.new_only, "Short for --status new").excludes(status);
}

}  // namespace

void add_report(Command app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  options->settings.database = "convict.db";
  const Command command =
      app.add_command("report", "Show how much has been tried, what was found, and what remains", footer());
  command.option("database,--db", options->settings.database, "Database of campaigns and mismatches").shows_default();
  const Option profile =
      command.option("--profile", options->settings.profile, "Coverage of this profile only [all in the database]");
  const Option emptiest =
      command.option("--emptiest", options->settings.emptiest, "How many combinations that were never seen to name")
          .within(0, 1'000'000)
          .shows_default();
  command
      .option("--all", options->folder, "Write every format to this folder: report.txt, report.html, report.xml, ...")
      .not_empty();
  add_filters(command, *options);
  std::vector<std::string> formats;
  for (const reports::ReportWriter* writer : reports::all()) formats.emplace_back(writer->name);
  options->out.add_to(command, formats);
  command.on_call([options, profile, emptiest, &exit_code] {
    options->asks_for_coverage = profile.was_given() || emptiest.was_given();
    exit_code = report(*options);
  });
}

}  // namespace convict::cli

// SPDX-License-Identifier: Apache-2.0
//
// `convict show`: prints everything that the database has about one mismatch.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/mismatch_text.h"
#include "cli/options.h"
#include "core/cause.h"
#include "core/error.h"
#include "core/plain_words.h"
#include "core/text.h"
#include "reports/shared/causes.h"
#include "reports/shared/certificate_text.h"
#include "reports/shared/report_json.h"

namespace convict::cli {
namespace {

using nlohmann::json;

constexpr size_t kLongestShown = 4096;  // of one text: as long as a case line may be

std::string line(std::string_view name, std::string_view text, int width = 13) {
  return text.empty() ? "" : fmt::format("  {:<{}} {}\n", name, width, printable(text, kLongestShown));
}

std::string cause_line(std::string_view name, std::string_view text) { return line(name, text, 10); }

/// The sentence of a verdict; nothing for an unknown one.
std::string meaning_of(const std::string& verdict) try {
  return std::string(reports::meaning_of(verdict_named(verdict)));
} catch (const UsageError&) {  // of another version
  return "";
}

/// What the file of a known cause says of it. Nothing of a candidate.
std::optional<Cause> known_as(const store::CauseRow& cause) try {
  return cause.block.empty() ? std::nullopt : std::optional(parse_causes(cause.block, "").at(0));
} catch (const UsageError&) {  // of another version
  return std::nullopt;
}

/// A line for each line of a text.
std::string cause_lines(std::string_view name, const std::string& lines) {
  std::string text;
  for (const std::string_view one : split(lines, '\n')) text += cause_line(name, one);
  return text;
}

/// Everything that a database has about one cause, and its mismatches in a line each.
std::string cause_as_text(const reports::CauseGroup& group) {
  const report::MismatchReport& first = group.first();
  const std::optional<Cause> known = known_as(group.cause);
  const std::string &verdict = first.row.verdict, meaning = meaning_of(verdict);
  std::string text = fmt::format("{}: {}\n", group.number(), printable(group.cause.title, kLongestShown));
  text += cause_line("status", group.status()) + cause_line("suspects", group.suspects()) +
          cause_line("versions", known ? known->versions.text() : "") + cause_line("blame", group.blame()) +
          cause_line("verdict", meaning.empty() ? verdict : verdict + ": " + meaning) +
          cause_line("shows if", group.shows_if()) +
          cause_line("operations", group.operations()) + cause_line("link", group.cause.link);
  text += cause_lines("note", group.cause.note);
  if (known) text += cause_lines("source", known->about.source) + cause_lines("since", known->about.since);
  text += fmt::format("  {:<10} {} in {} mismatches\n", "hits", with_commas(static_cast<uint64_t>(group.hits())),
                      group.rows.size());
  for (const report::MismatchReport* one : group.rows)
    text += fmt::format("  #{} {} {} {} ({}, {} hits)\n    {}\n", one->row.id, printable(one->row.suspect),
                        printable(one->row.verdict), printable(one->row.operation),
                        printable(reports::standing(*one), 200), one->row.hits, printable(one->repro, kLongestShown));
  return text;
}

struct ShowOptions {
  OutputOptions out;
  std::string database = "convict.db";
  std::vector<std::string> words;  // "3", or "cause 3"
};

/// "onednn 2.6.3, libtorch 1.13.1".
std::string versions_in_words(const json& versions) {
  std::vector<std::string> words;
  for (const auto& [name, version] : versions.items())
    words.push_back(name + " " + (version.is_string() ? version.get<std::string>() : "?"));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string command_for(std::string_view command, const store::MismatchRow& row, const std::string& database) {
  const std::string where = database == "convict.db" ? "" : " --db " + shell_quoted(database);
  return fmt::format("convict {} {}{}", command, row.id, where);
}

std::vector<std::string> commands(const store::MismatchRow& row, const std::string& database) {
  return {command_for("repro", row, database), command_for("export", row, database) + " --to pytorch"};
}

std::string as_text(const store::MismatchRow& row, const std::vector<store::CampaignSighting>& sightings,
                    const std::string& database) {
  std::string text = fmt::format("#{} {} {} (blame: {})\n", row.id, printable(row.suspect), printable(row.verdict),
                                 printable(row.blame)) +
                     line("that is", meaning_of(row.verdict));
  text += line("signature", row.signature) + line("status", row.status_text());
  if (row.cause)
    text += line("cause", std::to_string(*row.cause) + (row.known_cause.empty() ? "" : " (" + row.known_cause + ")"));
  if (row.versions.is_object() && !row.versions.empty() && row.effective_status == row.status)
    text += line("for", versions_in_words(row.versions));
  text += line("link", row.link) + line("note", row.note) + line("triaged", row.triaged);
  text += line("case", row.case_text) + line("shrunk", row.shrunk_text.value_or(""));
  text += line("wrong", place_in_words(row.geography));
  text += diagnosis_text({row.predicate, row.explanation.value_or(store::Explanation()), row.best_text()}, "  ");
  if (!row.is_explained()) text += fmt::format("  not explained yet: {}\n", command_for("explain", row, database));
  const Certificate certificate = certificate_in(row.best_certificate());
  if (certificate.errors.map) text += draw_map(*certificate.errors.map);
  text += "  certificate\n" + reports::describe_certificate(certificate);
  text += fmt::format("  seen {} times from {} to {}\n", row.hits, printable(row.first_seen), printable(row.last_seen));
  for (const store::CampaignSighting& one : sightings)
    text +=
        fmt::format("    campaign {}: {} hits, profile {}, seed {}, {} to {}\n", one.campaign, one.hits,
                    printable(one.profile), printable(one.seed), printable(one.first_seen), printable(one.last_seen));
  text += "  commands\n";
  for (const std::string& command : commands(row, database)) text += "    " + printable(command, kLongestShown) + "\n";
  return text;
}

std::string as_json(const store::MismatchRow& row, const std::vector<store::CampaignSighting>& sightings,
                    const std::string& database) {
  json document = reports::json_of(row);
  document.update({{"status", row.status},
                   {"effective_status", row.effective_status},
                   {"case", row.case_text},
                   {"shrunk", row.shrunk_text ? json(*row.shrunk_text) : json(nullptr)},
                   {"certificate", row.certificate},
                   {"shrunk_certificate", row.shrunk_certificate},
                   {"sightings", reports::json_of(sightings)},
                   {"commands", commands(row, database)}});
  return reports::dump(document, 2) + "\n";
}

int show_causes(const std::vector<std::string>& words, const ShowOptions& options) {
  const report::Report report = report_of(options.database);
  const std::vector<reports::CauseGroup> groups = reports::by_cause(report);
  std::string text;
  json documents = json::array();
  for (const store::CauseRow& row : causes_in(store::Store::open_to_read(options.database), options.database, words)) {
    const auto group =
        std::ranges::find_if(groups, [&](const reports::CauseGroup& one) { return one.cause.id == row.id; });
    if (group == groups.end())
      throw UsageError(
          fmt::format("cause {} has no mismatch in database '{}'", row.id, printable(options.database, 200)));
    text += cause_as_text(*group);
    documents.push_back(reports::json_of(*group));
  }
  options.out.write(options.out.json() ? reports::dump(documents, 2) + "\n" : text);
  return kClean;
}

int show(const ShowOptions& options) {
  const ChosenNumbers chosen = chosen_numbers(options.words);
  if (chosen.are_causes) return show_causes(chosen.words, options);
  const std::vector<int64_t> ids = chosen.ids();
  if (ids.size() != 1)
    throw UsageError("show: more than one mismatch; valid: one number, or cause and numbers of causes");
  const store::MismatchRow row = mismatch_in(options.database, ids[0]);
  const auto sightings = store::Store::open_to_read(options.database).sightings(ids[0]);
  options.out.write(options.out.json() ? as_json(row, sightings, options.database)
                                       : as_text(row, sightings, options.database));
  return kClean;
}

}  // namespace

void add_show(Command app, int& exit_code) {
  auto [command, options] =
      add_command(app, exit_code, show, "show",
                  "Show everything about one mismatch or cause: when it fails, where the errors lie, its evidence",
                  "Examples:\n"
                  "  convict show 3\n"
                  "  convict show cause 2        a cause, and its mismatches\n"
                  "  convict show 3 --db nightly.db --format json\n"
                  "Exit codes: 0 shown, 2 usage, or no such mismatch or cause");
  command
      .option(
          "id", options.words,
          "Number of the mismatch; or cause, and numbers or names; `convict list mismatches`, `convict list causes` "
          "show them")
      .required();
  command.option("--db", options.database, "Database of mismatches").shows_default();
  options.out.add_to(command);
}

}  // namespace convict::cli

// SPDX-License-Identifier: Apache-2.0
//
// `convict triage`: records a person's decision about a mismatch.
#include <fmt/format.h>

#include <algorithm>

#include "cli/chosen.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "core/error.h"
#include "core/json_text.h"
#include "core/text.h"

namespace convict::cli {
namespace {

using nlohmann::json;

struct TriageOptions {
  std::vector<std::string> words;  // "3 4", or "cause 3 4"
  std::string database = "convict.db", status, versions;
  std::optional<std::string> link, note;
};

/// The version of the suspect in the last campaign that saw the row.
json current_versions(const store::Store& store, const store::MismatchRow& row) {
  for (const store::CampaignSighting& one : store.sightings(row.id))
    if (one.campaign == row.last_campaign && one.libraries.contains(row.suspect))
      return {{row.suspect, one.libraries[row.suspect]}};
  throw UsageError(fmt::format("--versions: the version of '{}' is not known; valid: name it, e.g. onednn=2.6.3",
                               printable(row.suspect)));
}

/// Parses "onednn=2.6.3,libtorch:native=1.13.0". Refuses a misspelt name, because it would never have an effect.
json parse_versions(const store::Store& store, const std::string& text) {
  json versions = json::object();
  const auto known = store.versions();
  for (const std::string_view part : split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string name(trim(part.substr(0, equals)));
    const std::string version(equals == std::string_view::npos ? "" : trim(part.substr(equals + 1)));
    if (name.empty() || version.empty())
      throw UsageError(
          fmt::format("--versions: '{}' is not valid; valid: current, or NAME=VERSION,...", printable(part)));
    if (!known.contains(name)) {
      std::vector<std::string> names;
      for (const auto& [one, unused] : known) names.push_back(printable(one));
      throw UsageError(fmt::format("--versions: no campaign has run '{}'{}; valid: {}", printable(name),
                                   suggestion(name, names), fmt::join(names, ", ")));
    }
    versions[name] = version;
  }
  return versions;
}

/// "known (onednn=2.6.3), link https://..., note '...'", of a mismatch or a cause.
std::string words_of(const auto& row) {
  std::string text = row.status;
  if (!row.versions.empty()) text += " for " + printable(json_line(row.versions), 200);
  if (!row.link.empty()) text += ", " + printable(row.link, 200);
  if (!row.note.empty()) text += ", '" + printable(row.note, 60) + "'";
  return text;
}

int triage_causes(store::Store& store, const std::vector<std::string>& words, const TriageOptions& options) {
  const std::vector<store::CauseRow> before = causes_in(store, options.database, words);
  if (options.versions == "current")
    throw UsageError("--versions: a cause may have several suspects; valid: NAME=VERSION,...");
  const json versions = options.versions.empty() ? json::object() : parse_versions(store, options.versions);
  std::map<int64_t, store::Triage> what;
  for (const store::CauseRow& row : before) what[row.id] = {options.status, options.link, options.note, versions};
  store.triage_causes(what);
  const std::vector<store::CauseRow> after = causes_in(store, options.database, words);
  for (size_t i = 0; i < before.size(); ++i)
    print(fmt::format("cause {} ({}): {} -> {}\n", before[i].id, printable(before[i].title, 100), words_of(before[i]),
                      words_of(after[i])));
  return kClean;
}

bool is_status(const std::string& word) { return std::ranges::find(kStatuses, word) != kStatuses.end(); }

/// "2 known" is "2 --status known".
TriageOptions with_status(TriageOptions options) {
  if (options.status.empty() && options.words.size() > 1 && is_status(options.words.back())) {
    options.status = options.words.back();
    options.words.pop_back();
  }
  const std::string last = options.words.back(), valid = fmt::format("{}", fmt::join(kStatuses, ", "));
  if (options.words.size() == 1 && is_status(last))
    throw UsageError(fmt::format("triage: the number of the mismatch is missing; valid: convict triage 3 {}", last));
  const bool is_a_word = options.words.size() > 1 && options.words[0] != "cause" && !mismatch_number(last);
  if (is_a_word && options.status.empty())
    throw UsageError(fmt::format("triage: '{}' is no status; valid: {}", printable(last), valid));
  if (options.status.empty()) throw UsageError(fmt::format("triage: the status is missing; valid: {}", valid));
  return options;
}

int triage(const TriageOptions& given) {
  const TriageOptions options = with_status(given);
  require_database(options.database);
  store::Store store = store::Store::open(options.database);
  const ChosenNumbers chosen = chosen_numbers(options.words);
  if (chosen.are_causes) return triage_causes(store, chosen.words, options);
  std::vector<store::MismatchRow> before;
  for (const int64_t id : chosen.ids()) {
    auto row = store.mismatch(id);
    if (!row) throw UsageError(no_such_mismatch(store, options.database, id));
    before.push_back(std::move(*row));
  }
  const bool current = options.versions == "current";
  const json versions = current || options.versions.empty() ? json::object() : parse_versions(store, options.versions);
  std::map<int64_t, store::Triage> what;
  for (const store::MismatchRow& row : before)
    what[row.id] = {options.status, options.link, options.note, current ? current_versions(store, row) : versions};
  store.triage(what);
  for (const store::MismatchRow& row : before)
    print(fmt::format("#{} {} {}: {} -> {}\n", row.id, printable(row.suspect), printable(row.verdict), words_of(row),
                      words_of(*store.mismatch(row.id))));
  return kClean;
}

}  // namespace

void add_triage(Command app, int& exit_code) {
  auto [command, options] = add_command(
      app, exit_code, triage, "triage", "Say what a cause or a mismatch is: known, reported, fixed, ...",
      "A cause stands for all its mismatches that are not triaged themselves, those to come included.\n"
      "new and fixed ones of a target fail `convict fuzz`; known, reported and wontfix ones are listed. With "
      "--versions\n"
      "that holds for these versions: in campaigns with others, the mismatch counts as new again. Without, for all.\n"
      "Examples:\n"
      "  convict triage 3 --status reported --link https://example.org/issues/12 --versions current\n"
      "  convict triage cause 2 --status reported --link https://example.org/issues/12\n"
      "  convict triage 2 known\n"
      "  convict triage 4 5 --status wontfix --note 'no input channels: no real case'\n"
      "  convict triage 6 --status known --versions onednn=2.6.3\n"
      "Exit codes: 0 written, 2 usage, or no such mismatch or cause: then nothing is written");
  command
      .option("ids", options.words,
              "Numbers of mismatches; or cause, and numbers or names of causes; the status may come last")
      .required();
  command.option("--status", options.status, fmt::format("{}", fmt::join(kStatuses, ", ")))
      .one_of(std::vector<std::string>(kStatuses.begin(), kStatuses.end()));
  command.option("--link", options.link, "Where it was reported [as it was]");
  command.option("--note", options.note, "Free text [as it was]");
  command.option("--versions", options.versions,
                 "current (of the suspect, where it was seen last), or NAME=VERSION,... [all versions]");
  command.option("--db", options.database, "Database of mismatches").shows_default();
}

}  // namespace convict::cli

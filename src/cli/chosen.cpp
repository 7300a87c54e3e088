// SPDX-License-Identifier: Apache-2.0
#include "cli/chosen.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "abi/native_kernel.h"
#include "cli/known_plugins.h"
#include "core/case_text.h"
#include "core/error.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "run/turns.h"

namespace convict::cli {
namespace {

using nlohmann::json;

/// Whether the suspect comes with this program, so that no plugin is needed for it.
bool is_ours(const std::string& suspect) {
  const auto native = native_kernels();
  const auto modules = run::installed_modules();
  return std::ranges::any_of(native, [&](const auto* kernel) { return suspect == kernel->name; }) ||
         std::ranges::any_of(modules, [&](const std::string& module) { return run::module_of(suspect) == module; });
}

store::Store opened_for(const std::string& database, int64_t id) {
  std::error_code error;
  if (!std::filesystem::exists(database, error))
    throw UsageError(
        fmt::format("database '{}' does not exist, so mismatch {} cannot be looked up", printable(database, 200), id));
  return store::Store::open_to_read(database);
}

store::MismatchRow row_in(const store::Store& store, const std::string& database, int64_t id) {
  auto row = store.mismatch(id);
  if (!row) throw UsageError(no_such_mismatch(store, database, id));
  return std::move(*row);
}

/// A flag of the campaign that saw the row last.
json flag_of(const store::Store& store, const store::MismatchRow& row, const char* key) {
  const auto campaign = store.campaign(row.last_campaign);
  return campaign && campaign->info.flags.contains(key) ? campaign->info.flags[key] : json();
}

std::vector<std::string> plugins_of(const store::Store& store, const store::MismatchRow& row) {
  const json list = flag_of(store, row, "plugins");
  std::vector<std::string> plugins;
  for (const json& one : list)
    if (one.is_string() && !is_ours(row.suspect)) plugins.push_back(one);
  return plugins;
}

/// The plugins. Throws UsageError if the user has never named one of them.
std::vector<std::string> known(const std::vector<std::string>& plugins, int64_t row) {
  if (std::ranges::all_of(plugins, is_known_plugin)) return plugins;
  std::string flags;
  for (const std::string& plugin : plugins) flags += " " + plugin_flag(plugin);
  throw UsageError(
      fmt::format("mismatch {} needs a plugin that you have not put on trial before; if you trust it, add{}", row,
                  printable(flags, 2000)));
}

}  // namespace

void CaseOptions::add_to(Command command) {
  command.option("case", words, "A case line (quotes are optional), or the number of a mismatch").required();
  command.option("--db", database, "Where a mismatch number is looked up").shows_default();
}

run::RosterRequest Chosen::with_suspect(run::RosterRequest roster) const {
  if (!row) return roster;
  if (row->blame == name_of(Blame::kTarget) && roster.targets.empty()) roster.targets = {row->suspect};
  if (row->blame == name_of(Blame::kOracle) && roster.oracles.empty()) roster.oracles = {row->suspect};
  if (roster.plugins.empty()) roster.plugins = known(plugins, row->id);
  return roster;
}

std::string no_such_mismatch(const store::Store& store, const std::string& database, int64_t id) {
  const std::vector<store::MismatchRow> rows = store.mismatches();
  std::string valid =
      rows.empty() ? "it has none" : fmt::format("it has {} of them, the last one is {}", rows.size(), rows.back().id);
  return fmt::format("database '{}' has no mismatch {}; {}; `convict list mismatches` shows them",
                     printable(database, 200), id, valid);
}

void require_database(const std::string& database) {
  std::error_code error;
  if (!std::filesystem::exists(database, error))
    throw UsageError(
        fmt::format("database '{}' does not exist; `convict fuzz --db FILE` makes one", printable(database, 200)));
}

store::MismatchRow mismatch_in(const std::string& database, int64_t id) {
  return row_in(opened_for(database, id), database, id);
}

std::optional<int64_t> mismatch_number(std::string_view word) {
  if (word.starts_with('#')) word.remove_prefix(1);
  return parse_integer(word);
}

Chosen chosen_case(const CaseOptions& options) {
  const std::string line = fmt::format("{}", fmt::join(options.words, " "));
  if (options.words.size() > 1 && mismatch_number(options.words.front()))
    throw UsageError(fmt::format("'{}' names more than one case; valid: the number of one mismatch, or one case line",
                                 printable(line)));
  if (std::error_code error; std::filesystem::exists(line, error))
    throw UsageError(fmt::format("'{}' is a file; run the cases in it by: convict replay FILE", printable(line, 200)));
  if (const auto id = mismatch_number(line)) {
    const store::Store store = opened_for(options.database, *id);
    store::MismatchRow row = row_in(store, options.database, *id);
    const CorpusEntry entry{parse_case(row.best_text()), row.verdict == name_of(Verdict::kAcceptsInvalid), ""};
    std::vector<std::string> plugins = plugins_of(store, row);
    const json where = flag_of(store, row, "where");
    return {entry, std::move(row), std::move(plugins), where.is_string() ? where.get<std::string>() : ""};
  }
  std::vector<CorpusEntry> entries;
  append_corpus_line(line, "", entries);
  return {entries.empty() ? CorpusEntry{parse_case(line), false, ""} : entries.front()};
}

std::vector<int64_t> ChosenNumbers::ids() const {
  std::vector<int64_t> list;
  for (const std::string& word : words) {
    const auto number = mismatch_number(word);
    if (!number)
      throw UsageError(fmt::format("'{}' is not the number of a mismatch; valid: 3, or cause 3", printable(word)));
    list.push_back(*number);
  }
  return list;
}

ChosenNumbers chosen_numbers(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "cause") return {false, words};
  if (words.size() == 1) throw UsageError("cause: its number or name is missing; `convict list causes` shows them");
  return {true, {words.begin() + 1, words.end()}};
}

std::vector<store::CauseRow> causes_in(const store::Store& store, const std::string& database,
                                       const std::vector<std::string>& words) {
  const std::vector<store::CauseRow> all = store.causes();
  std::vector<store::CauseRow> chosen;
  for (const std::string& word : words) {
    const auto id = parse_integer(word);
    const auto found = std::ranges::find_if(
        all, [&](const store::CauseRow& one) { return id ? one.id == *id : !one.name.empty() && one.name == word; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const store::CauseRow& one : all) names.push_back(one.name);
      throw UsageError(fmt::format("database '{}' has no cause {}{}; `convict list causes` shows them",
                                   printable(database, 200), printable(word), id ? "" : suggestion(word, names)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

report::Report report_of(const std::string& database) {
  require_database(database);
  report::ReportSettings settings;
  settings.database = database;
  settings.coverage = false;
  return report::make_report(settings, [](const std::string&) {});
}

}  // namespace convict::cli

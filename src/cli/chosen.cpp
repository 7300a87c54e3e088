// SPDX-License-Identifier: Apache-2.0
#include "cli/chosen.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/case_text.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::cli {

void CaseOptions::add_to(CLI::App& command) {
  command.add_option("case", words, "A case line (quotes are optional), or the number of a mismatch")->required();
  command.add_option("--db", database, "Where a mismatch number is looked up")->capture_default_str();
}

run::RosterRequest Chosen::with_suspect(run::RosterRequest roster) const {
  if (!row) return roster;
  if (row->blame == name_of(Blame::kTarget) && roster.targets.empty()) roster.targets = {row->suspect};
  if (row->blame == name_of(Blame::kOracle) && roster.oracles.empty()) roster.oracles = {row->suspect};
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
  std::error_code error;
  if (!std::filesystem::exists(database, error))
    throw UsageError(
        fmt::format("database '{}' does not exist, so mismatch {} cannot be looked up", printable(database, 200), id));
  const store::Store store = store::Store::open_to_read(database);
  auto row = store.mismatch(id);
  if (!row) throw UsageError(no_such_mismatch(store, database, id));
  return std::move(*row);
}

Chosen chosen_case(const CaseOptions& options) {
  const std::string line = fmt::format("{}", fmt::join(options.words, " "));
  if (const auto id = parse_integer(line)) {
    store::MismatchRow row = mismatch_in(options.database, *id);
    const CorpusEntry entry{parse_case(row.best_text()), row.verdict == name_of(Verdict::kAcceptsInvalid), ""};
    return {entry, std::move(row)};
  }
  std::vector<CorpusEntry> entries;
  append_corpus_line(line, "", entries);
  return {entries.empty() ? CorpusEntry{parse_case(line), false, ""} : entries.front(), std::nullopt};
}

}  // namespace convict::cli

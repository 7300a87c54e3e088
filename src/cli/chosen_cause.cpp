// SPDX-License-Identifier: Apache-2.0
#include "cli/chosen_cause.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/chosen.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::cli {

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

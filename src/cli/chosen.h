// SPDX-License-Identifier: Apache-2.0
//
// What the words of a command line mean: a case line, the number of a mismatch in a database, or a cause of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"
#include "core/corpus.h"
#include "report/report.h"
#include "reports/shared/causes.h"
#include "run/loader.h"
#include "store/store.h"

namespace convict::cli {

/// The positional `case` and --db.
struct CaseOptions {
  std::vector<std::string> words;  // of the case line: quotes are optional
  std::string database = "convict.db";

  void add_to(Command command);
};

/// What the input names.
struct Chosen {
  CorpusEntry entry;
  std::optional<store::MismatchRow> row = {};  // if the user gave a number
  std::vector<std::string> plugins = {};       // that the campaign of the row had loaded, if its suspect may be theirs
  std::string where = {};                      // --where of that campaign

  /// The request, with the suspect of the row added if the user named no implementation in its role, and with its
  /// plugins if the user named none and knows them (known_plugins.h). Throws UsageError if the user does not.
  run::RosterRequest with_suspect(run::RosterRequest roster) const;
};

/// 3 for "3", and for "#3" as summaries write it; nothing for another word.
std::optional<int64_t> mismatch_number(std::string_view word);

/// The case line, or the case of the mismatch: the shrunk one if there is one. Throws UsageError.
Chosen chosen_case(const CaseOptions& options);

/// The row with this number. Throws UsageError if the database or the row does not exist.
store::MismatchRow mismatch_in(const std::string& database, int64_t id);

/// One line that says so, and which numbers are valid.
std::string no_such_mismatch(const store::Store& store, const std::string& database, int64_t id);

/// Throws UsageError if there is no such database.
void require_database(const std::string& database);

/// "3", "4 5" or "cause 3 libtorch-no-input-channels": numbers of mismatches; or numbers and names of causes.
struct ChosenNumbers {
  bool are_causes = false;
  std::vector<std::string> words;

  /// Of mismatches. Throws UsageError for a word that is no number.
  std::vector<int64_t> ids() const;
};

ChosenNumbers chosen_numbers(const std::vector<std::string>& words);

/// The rows of these causes. Throws UsageError if there is none of a name or number.
std::vector<store::CauseRow> causes_in(const store::Store& store, const std::string& database,
                                       const std::vector<std::string>& words);

/// What the database knows of its causes and mismatches, without coverage. Throws UsageError if it does not exist.
report::Report report_of(const std::string& database);

}  // namespace convict::cli

// SPDX-License-Identifier: Apache-2.0
//
// The word `cause` on a command line, and the cause of a database that it means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"
#include "reports/shared/causes.h"
#include "store/store.h"

namespace convict::cli {

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

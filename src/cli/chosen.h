// SPDX-License-Identifier: Apache-2.0
//
// What a command is to work on, as people name it: a case line, or the number of a mismatch in a database.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/corpus.h"
#include "run/loader.h"
#include "store/store.h"

namespace convict::cli {

/// The positional `case` and --db.
struct CaseOptions {
  std::vector<std::string> words;  // of the case line: quotes are optional
  std::string database = "convict.db";

  void add_to(CLI::App& command);
};

struct Chosen {
  CorpusEntry entry;
  std::optional<store::MismatchRow> row;  // if it was chosen by number

  /// The request, with the suspect of the row taking part where nobody else was asked for in its role.
  run::RosterRequest with_suspect(run::RosterRequest roster) const;
};

/// Of a mismatch, the shrunk case if there is one. Throws UsageError.
Chosen chosen_case(const CaseOptions& options);

/// The row with this number. Throws UsageError if the database or the row does not exist.
store::MismatchRow mismatch_in(const std::string& database, int64_t id);

/// Says so in one line, with what is valid.
std::string no_such_mismatch(const store::Store& store, const std::string& database, int64_t id);

/// Opens a database that has to exist. Throws UsageError.
store::Store existing_store(const std::string& database);

}  // namespace convict::cli

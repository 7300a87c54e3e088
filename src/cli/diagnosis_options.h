// SPDX-License-Identifier: Apache-2.0
//
// What `shrink` and `explain` share: whom to ask about which case, and the diagnosis with its progress on stderr.
#pragma once

#include <string>

#include "cli/chosen.h"
#include "cli/options.h"
#include "diagnose/diagnosis.h"

namespace convict::cli {

struct DiagnosisOptions {
  RunOptions run;
  OutputOptions out;
  CaseOptions which;
  std::string time = "1m", where;
  int shrink_runs = 1000, explain_runs = 800;

  void add_to(Command command);
};

struct DiagnosisResult {
  Chosen chosen;  // as it was before the diagnosis: its row may have become part of another one
  Mismatch original;
  diagnose::Diagnosis diagnosis;
  int64_t row = 0;                        // where it is stored now, if it came from a database
  std::vector<std::string> plugins = {};  // that the suspect may come from, for the command that shows it again
  bool joined = false;                    // `row` is another one, which had explained the same bug before
  std::string known_cause = {};           // "name: title" of the one that it turned out to be

  /// In words, if the diagnosis has no shrunk case.
  std::string why_not_shrunk() const {
    const std::string& why = diagnosis.explanation.text;
    return why.empty() ? "did not come back" : why;
  }
};

/// Diagnoses the case or row that the options name; a new diagnosis of a row is stored. Of a row that is explained
/// already, that is read instead; one of a known cause has no diagnosis. Throws UsageError, also if the case shows no
/// mismatch.
DiagnosisResult diagnosis_for(const DiagnosisOptions& options);

}  // namespace convict::cli

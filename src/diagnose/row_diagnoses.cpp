// SPDX-License-Identifier: Apache-2.0
#include "diagnose/row_diagnoses.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/case_text.h"
#include "store/sqlite.h"

namespace convict::diagnose {

RowDiagnoses::RowDiagnoses(store::Store& store, const std::vector<workers::RosterEntry>& roster,
                           std::vector<std::string>& notes, const workers::SupervisionSettings& settings,
                           std::chrono::milliseconds budget)
    : store_(store), roster_(roster), notes_(notes), known_(store), diagnoses_(settings, budget) {}

void RowDiagnoses::diagnose(int64_t row, const Mismatch& mismatch) {
  if (mismatch.verdict == Verdict::kAcceptsInvalid || pending_.contains(row)) return;
  const auto suspect = std::ranges::find(roster_, mismatch.suspect, &workers::RosterEntry::name);
  if (suspect == roster_.end()) return;
  const std::string key = fmt::format("{}|{}|{}", mismatch.suspect, name_of(mismatch.verdict),
                                      to_text(mismatch.problem_case));
  if (!tried_.insert(key).second) return;
  pending_.insert(row);
  diagnoses_.add({row, mismatch, known_.faults_of(mismatch, suspect->version)});
}

void RowDiagnoses::diagnose_unexplained(const std::string& suspect) try {
  for (const store::MismatchRow& row : store_.mismatches({.suspect = suspect}))
    if (!row.is_explained()) diagnose(row.id, row.mismatch());
} catch (const store::Locked&) {
  throw;
} catch (const std::exception& error) {
  notes_.push_back(fmt::format("a row of the database makes no sense: {}", error.what()));
}

/// What cannot be written now is there the next time.
void RowDiagnoses::store_finished() {
  for (FinishedDiagnosis& one : diagnoses_.take()) finished_.push_back(std::move(one));
  for (; !finished_.empty(); finished_.pop_front()) {
    const FinishedDiagnosis& one = finished_.front();
    pending_.erase(one.row);
    if (!one.trouble.empty()) {
      notes_.push_back(fmt::format("mismatch {} could not be explained: {}", one.row, one.trouble));
      continue;
    }
    store_.explain(one.row, known_.explanation(one.diagnosis, one.mismatch));
    diagnose_unexplained(one.mismatch.suspect);
  }
}

}  // namespace convict::diagnose

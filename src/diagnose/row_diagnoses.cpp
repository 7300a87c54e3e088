// SPDX-License-Identifier: Apache-2.0
#include "diagnose/row_diagnoses.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>


namespace convict::diagnose {

RowDiagnoses::RowDiagnoses(store::Store& store, const std::vector<workers::RosterEntry>& roster,
                           std::vector<std::string>& notes, const workers::SupervisorSettings& settings,
                           std::chrono::milliseconds budget, std::vector<Cause> causes)
    : store_(store), roster_(roster), notes_(notes), causes_(std::move(causes)), diagnoses_(settings, budget) {}

/// The explained rows of the suspect with a matching verdict, each with its predicate.
std::vector<std::pair<store::MismatchRow, Predicate>> RowDiagnoses::explained_alike(const Mismatch& mismatch) const {
  std::vector<std::pair<store::MismatchRow, Predicate>> rows;
  for (store::MismatchRow& row : store_.mismatches({.suspect = mismatch.suspect})) try {
      if (row.predicate.empty() || !are_alike(verdict_named(row.verdict), mismatch.verdict)) continue;
      Predicate predicate = Predicate::parse(row.predicate);
      rows.emplace_back(std::move(row), std::move(predicate));
    } catch (const std::exception&) {  // of another version, or written by somebody else: it explains nothing here
    }
  return rows;
}

/// Known causes of the suspect, and its explained rows, both with a matching verdict.
std::vector<KnownFault> RowDiagnoses::known_faults(const Mismatch& mismatch) const {
  std::vector<KnownFault> known;
  const auto entry = std::ranges::find(roster_, mismatch.suspect, &workers::RosterEntry::name);
  for (const Cause& cause : causes_) {
    const auto is_alike = [&](Verdict verdict) { return are_alike(verdict, mismatch.verdict); };
    if (entry == roster_.end() || !cause.concerns(entry->name, entry->version)) continue;
    if (std::ranges::none_of(cause.verdicts, is_alike)) continue;
    for (const Predicate& one : cause.when) known.push_back({one});
  }
  for (auto& [row, predicate] : explained_alike(mismatch)) known.push_back({std::move(predicate)});
  return known;
}

/// Another row may explain the shrunk case already, one that was explained meanwhile included. Of the same operation,
/// it is the same row; of another one, its explanation is that of this row, too.
void RowDiagnoses::adopt(const Diagnosis& diagnosis, store::RowExplanation& into) const {
  if (!diagnosis.shrunk) return;
  const Mismatch& shrunk = *diagnosis.shrunk;
  for (const auto& [row, predicate] : explained_alike(shrunk)) {
    if (!predicate.holds(shrunk.problem_case)) continue;
    if (row.operation == operation_of(shrunk)) {
      into.same_as = row.id;
      return;
    }
    if (!diagnosis.covered_by.empty() && into.predicate.empty()) {
      into.predicate = row.predicate;
      for (const char* key : {"conditions", "exceptions", "mirrored", "samples", "unexplained"})
        if (row.explanation.contains(key)) into.explanation[key] = row.explanation[key];
    }
  }
  const auto is_of_file = [&](const Cause& cause) {
    return std::ranges::find(cause.when, diagnosis.covered_by, &Predicate::text) != cause.when.end();
  };
  if (into.predicate.empty() && std::ranges::none_of(causes_, is_of_file)) into.predicate = diagnosis.covered_by;
}

void RowDiagnoses::diagnose(int64_t row, const Mismatch& mismatch) {
  if (mismatch.verdict == Verdict::kAcceptsInvalid || !requested_.insert(row).second) return;
  if (std::ranges::find(roster_, mismatch.suspect, &workers::RosterEntry::name) == roster_.end()) return;
  diagnoses_.add({row, mismatch, known_faults(mismatch)});
}

void RowDiagnoses::diagnose_unexplained(const std::string& suspect) try {
  for (const store::MismatchRow& row : store_.mismatches({.suspect = suspect}))
    if (!row.is_explained())
      diagnose(row.id, row.mismatch());
} catch (const std::exception& error) {
  notes_.push_back(fmt::format("a row of the database makes no sense: {}", error.what()));
}

void RowDiagnoses::store_finished() {
  for (const FinishedDiagnosis& one : diagnoses_.take()) {
    if (!one.trouble.empty()) {
      notes_.push_back(fmt::format("mismatch {} could not be explained: {}", one.row, one.trouble));
      continue;
    }
    store::RowExplanation row_explanation = one.diagnosis.row_explanation(one.mismatch);
    adopt(one.diagnosis, row_explanation);
    store_.explain(one.row, row_explanation);
    diagnose_unexplained(one.mismatch.suspect);
  }
}

}  // namespace convict::diagnose

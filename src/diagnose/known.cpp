// SPDX-License-Identifier: Apache-2.0
#include "diagnose/known.h"

#include <algorithm>

namespace convict::diagnose {

std::vector<Cause> with_inherited(std::vector<Cause> causes, const std::vector<workers::RosterEntry>& roster) {
  const size_t given = causes.size();
  for (const workers::RosterEntry& entry : roster)
    for (size_t i = 0; i < given && !entry.built_on.empty(); ++i) {
      const auto has = [&](const std::string& base) { return causes[i].concerns(base, entry.version); };
      if (std::ranges::any_of(entry.built_on, has)) causes.push_back(causes[i].inherited_by(entry.name));
    }
  return causes;
}

/// The explained rows of the suspect with a matching verdict, each with its predicate.
std::vector<std::pair<store::MismatchRow, Predicate>> Known::explained_alike(const Mismatch& mismatch) const {
  std::vector<std::pair<store::MismatchRow, Predicate>> rows;
  if (!store_) return rows;
  for (store::MismatchRow& row : store_->mismatches({.suspect = mismatch.suspect})) try {
      if (row.predicate.empty() || !may_show(verdict_named(row.verdict), mismatch.verdict)) continue;
      Predicate predicate = Predicate::parse(row.predicate);
      rows.emplace_back(std::move(row), std::move(predicate));
    } catch (const std::exception&) {  // of another version, or of another program: it explains nothing here
    }
  return rows;
}

std::vector<KnownFault> Known::faults_of(const Mismatch& mismatch, const std::string& version) const {
  std::vector<KnownFault> faults;
  const auto is_alike = [&](Verdict verdict) { return may_show(verdict, mismatch.verdict); };
  for (const Cause& cause : causes_)
    if (cause.concerns(mismatch.suspect, version) && std::ranges::any_of(cause.verdicts, is_alike))
      for (const Predicate& one : cause.when) faults.push_back({one});
  for (auto& [row, predicate] : explained_alike(mismatch)) faults.push_back({std::move(predicate)});
  return faults;
}

const Cause* Known::cause_of(const Diagnosis& diagnosis) const {
  if (diagnosis.covered_by.empty()) return nullptr;
  const auto found = std::ranges::find_if(causes_, [&](const Cause& cause) {
    return std::ranges::find(cause.when, diagnosis.covered_by, &Predicate::text) != cause.when.end();
  });
  return found == causes_.end() ? nullptr : &*found;
}

store::RowExplanation Known::explanation(const Diagnosis& diagnosis, const Mismatch& original) const {
  store::RowExplanation result = diagnosis.row_explanation(original);
  if (!diagnosis.shrunk) return result;
  const Mismatch& shrunk = *diagnosis.shrunk;
  for (const auto& [row, predicate] : explained_alike(shrunk)) {
    if (!predicate.holds(shrunk.problem_case)) continue;
    const bool is_same_operation = row.operation == operation_of(shrunk);
    if (result.predicate.empty() && (is_same_operation || !diagnosis.covered_by.empty())) {
      result.predicate = row.predicate;
      if (row.explanation && row.explanation->evidence) result.explanation.evidence = row.explanation->evidence;
    }
    if (is_same_operation) return result;
  }
  if (result.predicate.empty() && !cause_of(diagnosis)) result.predicate = diagnosis.covered_by;
  return result;
}

}  // namespace convict::diagnose

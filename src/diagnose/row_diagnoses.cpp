// SPDX-License-Identifier: Apache-2.0
#include "diagnose/row_diagnoses.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/case_text.h"

namespace convict::diagnose {

RowDiagnoses::RowDiagnoses(store::Store& store, const std::vector<workers::RosterEntry>& roster,
                           std::vector<std::string>& notes, const workers::SupervisorSettings& settings,
                           std::chrono::milliseconds budget, std::vector<Cause> causes)
    : store_(store), roster_(roster), notes_(notes), causes_(std::move(causes)), diagnoses_(settings, budget) {}

/// Known causes of the suspect, and explained rows with the same suspect and operation, both with a matching verdict.
std::vector<KnownFault> RowDiagnoses::known_faults(const Mismatch& mismatch) const {
  std::vector<KnownFault> known;
  const auto entry = std::ranges::find(roster_, mismatch.suspect, &workers::RosterEntry::name);
  for (const Cause& cause : causes_) {
    const auto is_alike = [&](Verdict verdict) { return are_alike(verdict, mismatch.verdict); };
    if (entry == roster_.end() || !cause.concerns(entry->name, entry->version)) continue;
    if (std::ranges::none_of(cause.verdicts, is_alike)) continue;
    for (const Predicate& one : cause.when) known.push_back({std::nullopt, one});
  }
  for (const store::MismatchRow& row : store_.mismatches({.suspect = mismatch.suspect})) try {
      if (!row.predicate.empty() && row.operation == operation_of(mismatch) &&
          are_alike(verdict_named(row.verdict), mismatch.verdict))
        known.push_back({row.id, Predicate::parse(row.predicate)});
    } catch (const std::exception&) {  // of another version, or written by somebody else: it explains nothing here
    }
  return known;
}

void RowDiagnoses::diagnose(int64_t row, const Mismatch& mismatch) {
  if (mismatch.verdict == Verdict::kAcceptsInvalid || !requested_.insert(row).second) return;
  if (std::ranges::find(roster_, mismatch.suspect, &workers::RosterEntry::name) == roster_.end()) return;
  diagnoses_.add({row, mismatch, known_faults(mismatch)});
}

void RowDiagnoses::diagnose_unexplained(const std::string& suspect) try {
  for (const store::MismatchRow& row : store_.mismatches({.suspect = suspect}))
    if (!row.is_explained())
      diagnose(row.id, {parse_case(row.case_text), row.suspect, verdict_named(row.verdict), blame_named(row.blame),
                        certificate_in(row.certificate)});
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
    // A diagnosis that finished meanwhile may explain it too.
    if (one.diagnosis.shrunk && !row_explanation.same_as)
      for (const KnownFault& known : known_faults(*one.diagnosis.shrunk))
        if (known.row && known.predicate.holds(one.diagnosis.shrunk->problem_case)) row_explanation.same_as = known.row;
    store_.explain(one.row, row_explanation);
    diagnose_unexplained(one.mismatch.suspect);
  }
}

}  // namespace convict::diagnose

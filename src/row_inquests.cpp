// SPDX-License-Identifier: Apache-2.0
#include "row_inquests.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/case_text.h"

namespace convict {

RowInquests::RowInquests(Store& store, const std::vector<RosterEntry>& roster, std::vector<std::string>& notes,
                         const SupervisorSettings& settings, std::chrono::milliseconds budget)
    : store_(store), roster_(roster), notes_(notes), inquests_(settings, budget) {}

/// Rows that are explained, of the same suspect and operation and an alike verdict.
std::vector<KnownFault> RowInquests::known_faults(const Mismatch& mismatch) const {
  std::vector<KnownFault> known;
  for (const MismatchRow& row : store_.mismatches({.suspect = mismatch.suspect})) try {
      if (!row.predicate.empty() && row.operation == operation_text(mismatch.problem_case) &&
          are_alike(verdict_named(row.verdict), mismatch.verdict))
        known.push_back({row.id, Predicate::parse(row.predicate)});
    } catch (const std::exception&) {  // of another version, or written by somebody else: it explains nothing here
    }
  return known;
}

void RowInquests::refer(int64_t row, const Mismatch& mismatch) {
  if (!referred_.insert(row).second) return;
  if (std::ranges::find(roster_, mismatch.suspect, &RosterEntry::name) == roster_.end()) return;
  inquests_.refer({row, mismatch, known_faults(mismatch)});
}

void RowInquests::refer_unexplained(const std::string& suspect) try {
  for (const MismatchRow& row : store_.mismatches({.suspect = suspect}))
    if (!row.is_explained())
      refer(row.id, {parse_case(row.case_text), row.suspect, verdict_named(row.verdict), blame_named(row.blame),
                     row.certificate});
} catch (const std::exception& error) {
  notes_.push_back(fmt::format("a row of the database makes no sense: {}", error.what()));
}

void RowInquests::settle_finished() {
  for (const Verdicts& one : inquests_.take()) {
    if (!one.trouble.empty()) {
      notes_.push_back(fmt::format("mismatch {} could not be explained: {}", one.row, one.trouble));
      continue;
    }
    Settlement settlement = one.finding.settlement(one.mismatch);
    // What was found out meanwhile may explain it, too.
    if (one.finding.shrunk && !settlement.same_as)
      for (const KnownFault& known : known_faults(*one.finding.shrunk))
        if (known.predicate.holds(one.finding.shrunk->problem_case)) settlement.same_as = known.row;
    store_.settle(one.row, settlement);
    refer_unexplained(one.mismatch.suspect);
  }
}

}  // namespace convict

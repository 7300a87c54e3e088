// SPDX-License-Identifier: Apache-2.0
//
// Decides which row a hit belongs to; no other place does. Rows are a function of the facts (facts.h), so neither the
// order of hits nor that of merged databases matters.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/predicate.h"
#include "store/facts.h"

namespace convict::store {

/// The rules of one suspect in one operation.
class Rules {
 public:
  Rules() = default;
  explicit Rules(std::span<const Learnt> learnt);

  /// The row of the rule that covers a hit, the one that was learnt first; "" if none does. All verdicts on values are
  /// alike, because the data decides which one shows. `line` is that of the case.
  std::string row_of(Verdict verdict, const Case& c, const std::string& line) const;

  /// A fingerprint of them all; "" if there are none.
  const std::string& name() const { return name_; }

 private:
  struct RowRule {
    std::string row;
    Verdict verdict;
    std::optional<Predicate> predicate = {};  // nullopt: it covers `lines` only
    std::set<std::string> lines = {};
  };
  std::vector<RowRule> rules_;
  std::string name_;
};

/// A row as it follows from the facts.
struct AssignedRow {
  std::string coarse, verdict, geography, predicate;
  std::optional<std::string> shrunk_text = {}, shrunk_certificate = {};
  std::string explanation = "{}";
  std::optional<Specimen> shown = {};  // the simplest case
  std::map<int64_t, Span> seen = {};   // by campaign
  Word word = {}, of_cause = {};
  Gone gone = {};  // nothing since the last hit

  const std::string& first_seen() const;
};

struct Assignment {
  std::map<std::string, AssignedRow> rows;  // by signature
  Rules rules;
};

/// The rows of one scope. Hits of which only the number was kept are shared out like those with a case. A
/// row without a case is none. Throws UsageError for a verdict that is none.
Assignment assign(const Facts& facts);

/// The row that has what was said of another one, or was shown by another one that is no more. "" if no row has.
std::string heir_of(const Assignment& assignment, const Scope& scope, const std::string& verdict,
                    const std::string& rule, const std::string& line);

}  // namespace convict::store

// SPDX-License-Identifier: Apache-2.0
//
// Decides which row a hit belongs to; no other place does. Rows are a function of the facts (facts.h), so neither the
// order of hits nor that of merged databases matters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/predicate.h"
#include "store/cause_table.h"
#include "store/facts.h"
#include "store/sqlite.h"

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
  std::string coarse, verdict;
  Learnt learnt = {};                  // what is known of it, if it has a signature
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

/// The row of each hit of a campaign, as it comes: that of the known cause that covers it, or of the rule that does, or
/// of its coarse signature. Remembers causes and rules, because there are thousands of hits a second.
class Owners {
 public:
  Owners(Statements& sql, const std::string& path) : known_(sql, path) {}

  struct Owner {
    std::string row;  // its signature
    Filing filing;
    std::optional<int64_t> cause = {};  // the known one, if it is one's
  };
  Owner of(Statements& sql, int64_t campaign, const Mismatch& mismatch);

  const KnownCauses& known() const { return known_; }

 private:
  const Rules& rules_for(Statements& sql, const Scope& scope);

  KnownCauses known_;
  std::map<Scope, Rules> rules_;
  int64_t learnt_ = 0;  // how much there was when the rules were read: other processes explain, too
};

}  // namespace convict::store

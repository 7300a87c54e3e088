// SPDX-License-Identifier: Apache-2.0
#include "store/owners.h"

#include <utility>

#include "core/case_text.h"

namespace convict::store {

const Rules& Owners::rules_for(Statements& sql, const Scope& scope) {
  int64_t now = 0;
  {
    const auto select = sql("SELECT count(*) FROM learnt");
    select->executeStep();
    now = select->getColumn(0).getInt64();
  }
  if (std::exchange(learnt_, now) != now) rules_.clear();
  const auto found = rules_.find(scope);
  return found != rules_.end() ? found->second : rules_.emplace(scope, Rules(read_learnt(sql, scope))).first->second;
}

Owners::Owner Owners::of(Statements& sql, int64_t campaign, const Mismatch& mismatch) {
  const std::string coarse = signature(mismatch);
  if (const auto known = known_.match(sql, campaign, mismatch)) {
    const std::string row = signature_of_known(coarse, *known->cause);
    return {row, {row, ""}, known->id};
  }
  const Rules& rules = rules_for(sql, scope_of(mismatch));
  const std::string row = rules.row_of(mismatch.verdict, mismatch.problem_case, to_text(mismatch.problem_case));
  if (!row.empty()) return {row, {row, ""}};
  return {coarse, {"", rules.name()}};
}

}  // namespace convict::store

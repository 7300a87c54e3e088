// SPDX-License-Identifier: Apache-2.0
//
// The row of each hit of a campaign, as it comes: that of the known cause that covers it, or of the rule that does
// (assign.h), or of its coarse signature. Remembers causes and rules, because there are thousands of hits a second.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "store/assign.h"
#include "store/cause_table.h"
#include "store/facts.h"
#include "store/statements.h"

namespace convict::store {

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

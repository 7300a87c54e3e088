// SPDX-License-Identifier: Apache-2.0
//
// The table `causes`: known causes as files have them, and candidates, which are rows that seem to be one bug that is
// not described. Functions that write must run in a transaction of the caller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cause.h"
#include "store/facts.h"
#include "store/rows.h"
#include "store/sqlite.h"

namespace convict::store {

/// The known causes of a database, for many hits.
class KnownCauses {
 public:
  KnownCauses(Statements& sql, const std::string& path);

  struct Match {
    int64_t id = 0;
    const Cause* cause = nullptr;
  };

  const std::vector<Cause>& all() const { return causes_; }

  /// The cause that covers a mismatch in a campaign; the versions of the campaign decide.
  std::optional<Match> match(Statements& sql, int64_t campaign, const Mismatch& mismatch);

  /// The same for the version of the suspect.
  std::optional<Match> match(const Mismatch& mismatch, const std::string& version) const;

 private:
  std::vector<Cause> causes_;
  std::vector<int64_t> ids_;
  std::map<std::pair<int64_t, std::string>, std::string> versions_;  // by campaign and implementation
};

/// Gives every row that is explained or has shown an error the cause that it belongs to: the known one that covers the
/// case it shows, or a candidate that it shares with all rows that seem to be the same bug.
void join_causes(Statements& sql, const KnownCauses& known);

/// What people said of the candidate that a row belongs to. Candidates that are joined have what was said last of any.
void say_of_cause(Statements& sql, int64_t row, const Word& word);

/// The signature of the row of a known cause.
std::string signature_of_known(const std::string& coarse, const Cause& cause);

}  // namespace convict::store

// SPDX-License-Identifier: Apache-2.0
//
// What a database holds besides mismatches, without its ids, and the union of several such contents.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/coverage.h"
#include "core/timeline.h"
#include "store/facts.h"
#include "store/statements.h"

namespace convict::store {

/// Columns of the table `campaigns`, without id and uuid.
inline constexpr const char* kCampaignColumns =
    "updated, counts, state, ended, done, started, seed, profile, flags, libraries, isa, convict_version, focus, "
    "ratios, surveys, judged";
inline constexpr int kStartedColumn = 5;

/// One state of a campaign. Of two states of the same campaign, the larger one is the later one.
struct CampaignContents {
  std::string updated;
  int64_t cases = 0;
  std::vector<std::optional<std::string>> columns;  // as in kCampaignColumns; nothing for NULL
  std::vector<Moment> moments;
  auto operator<=>(const CampaignContents&) const = default;
};

/// A known cause. What was said last counts, and of two blocks of one name the larger one.
struct CauseContents {
  Word word;
  std::string title, block;

  CauseContents& operator+=(const CauseContents& other);
};

struct CoverageContents {
  std::optional<Coverage> coverage;  // nullopt if it is damaged or of another feature table
  std::string table;                 // kept unchanged in that case, because another convict may know it
  std::string tuples, updated;
  uint64_t cases = 0;

  CoverageContents& operator+=(const CoverageContents& other);
};

/// A score never changes once written. If two copies differ, the larger one counts.
struct ScoreContents {
  std::string written, version, settings, result;
  auto operator<=>(const ScoreContents&) const = default;
};

/// `+=` is commutative, associative and idempotent.
struct Contents {
  std::map<std::string, CampaignContents> campaigns;  // by uuid
  std::map<std::string, CoverageContents> coverage;   // by profile
  std::map<std::string, ScoreContents> scores;        // by uuid
  std::map<std::string, CauseContents> causes;        // known ones, by name

  /// Throws UsageError for rows that no convict writes. The message does not name the database.
  static Contents read(Statements& sql);
  Contents& operator+=(const Contents& other);
};

}  // namespace convict::store

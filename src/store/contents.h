// SPDX-License-Identifier: Apache-2.0
//
// All that a database says, without its ids, and the union of what several say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/coverage.h"
#include "core/timeline.h"
#include "store/statements.h"

namespace convict::store {

/// Of the table `campaigns`, without id and uuid.
inline constexpr const char* kCampaignColumns =
    "updated, counts, state, ended, done, started, seed, profile, flags, libraries, isa, convict_version, focus, "
    "ratios";
inline constexpr int kStartedColumn = 5;

/// Of two states of one campaign, the larger one is the later one.
struct CampaignContents {
  std::string updated;
  int64_t cases = 0;
  std::vector<std::optional<std::string>> columns;  // as in kCampaignColumns; nothing for NULL
  std::vector<Moment> moments;
  auto operator<=>(const CampaignContents&) const = default;
};

/// What a row shows of a hit. The smallest one counts: it is the simplest.
struct Specimen {
  double cost = 0;
  size_t length = 0;
  std::string case_text, certificate, blame;
  auto operator<=>(const Specimen&) const = default;
};

/// What shrinking made of it; the smallest one counts, and nothing is worse than any.
struct Shrunk {
  bool missing = true;
  double cost = 0;
  size_t length = 0;
  std::string case_text, certificate, explanation = "{}";
  auto operator<=>(const Shrunk&) const = default;
};

/// What people wrote; the largest one counts, which is the latest.
struct Word {
  std::string triaged;
  bool says_something = false;  // also without a time, if it was written with SQL
  std::string status = "new", link, note, versions = "{}";
  auto operator<=>(const Word&) const = default;
};

struct Seen {
  int64_t hits = 0;
  std::string first, last;
};

struct CandidateContents {
  Specimen specimen;
  std::string campaign;  // its uuid
  int64_t hits = 0;
};

struct MismatchContents {
  std::string coarse, verdict, suspect, geography, predicate;
  Specimen specimen;
  Shrunk shrunk;
  Word word;
  std::map<std::string, Seen> seen;                     // by the uuid of the campaign
  std::map<std::string, CandidateContents> candidates;  // by the case

  MismatchContents& operator+=(const MismatchContents& other);
};

struct CoverageContents {
  std::optional<Coverage> coverage;  // nothing if it is damaged or of another feature table
  std::string table;                 // then kept as it is, because another convict may know it
  std::string tuples, updated;
  uint64_t cases = 0;

  CoverageContents& operator+=(const CoverageContents& other);
};

/// A score is never written again; should two copies differ, the larger one counts.
struct ScoreContents {
  std::string written, version, settings, result;
  auto operator<=>(const ScoreContents&) const = default;
};

/// `+=` is commutative, associative and idempotent. finish() is for when all is added, and idempotent too.
struct Contents {
  std::map<std::string, CampaignContents> campaigns;              // by uuid
  std::map<std::string, MismatchContents> mismatches;             // by signature
  std::map<std::pair<std::string, std::string>, int64_t> totals;  // hits, by coarse signature and uuid
  std::map<std::string, CoverageContents> coverage;               // by profile
  std::map<std::string, ScoreContents> scores;                    // by uuid

  /// Throws UsageError, which does not name the database, for rows that no convict writes.
  static Contents read(Statements& sql);
  Contents& operator+=(const Contents& other);

  /// Leaves the rows that nothing explains the hits that no explained row accounts for, and the candidates that no
  /// predicate explains.
  void finish();
};

}  // namespace convict::store

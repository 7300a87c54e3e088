// SPDX-License-Identifier: Apache-2.0
//
// The contents of a database without its ids, and the union of several such contents.
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

/// The hit that a row shows. The smallest one counts, because it is the simplest.
struct Specimen {
  double cost = 0;
  size_t length = 0;
  std::string case_text, certificate, blame;
  auto operator<=>(const Specimen&) const = default;
};

/// The result of shrinking. The smallest one counts; a missing one is larger than any other.
struct Shrunk {
  bool missing = true;
  double cost = 0;
  size_t length = 0;
  std::string case_text, certificate, explanation = "{}";
  auto operator<=>(const Shrunk&) const = default;
};

/// What people wrote about a row. The largest one counts, because it is the latest.
struct Word {
  std::string triaged;
  bool says_something = false;  // may be true with an empty `triaged`, if somebody wrote the row with SQL
  std::string status = "new", link, note, versions = "{}";
  auto operator<=>(const Word&) const = default;
};

/// What makes a signature fine.
struct Fine {
  std::string geography, predicate;
};

/// The last replay. The largest one counts, because it is the latest.
struct Gone {
  std::string at, since;
  auto operator<=>(const Gone&) const = default;
};

/// How often a mismatch was seen, and when first and last.
struct Seen {
  int64_t hits = 0;
  std::string first, last;
};

/// A case, and the uuid of a campaign that saw it.
using CandidateKey = std::pair<std::string, std::string>;

struct CandidateContents {
  Specimen specimen;
  int64_t hits = 0;
};

/// A known cause. What was said last counts, and of two blocks of one name the larger one.
struct CauseContents {
  Word word;
  std::string title, block;

  CauseContents& operator+=(const CauseContents& other);
};

struct MismatchContents {
  std::string coarse, verdict, suspect;
  Fine fine;
  std::string known_cause;  // its name, or ""
  Word of_candidate;        // what people wrote about the candidate that it belongs to
  Specimen specimen;
  Shrunk shrunk;
  Word word;
  Gone gone;
  std::map<std::string, Seen> seen;  // by the uuid of the campaign
  std::map<CandidateKey, CandidateContents> candidates;

  MismatchContents& operator+=(const MismatchContents& other);
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

/// `+=` is commutative, associative and idempotent. Call finish() after the last `+=`; it is idempotent too.
struct Contents {
  std::map<std::string, CampaignContents> campaigns;              // by uuid
  std::map<std::string, MismatchContents> mismatches;             // by signature
  std::map<std::pair<std::string, std::string>, int64_t> totals;  // hits, by coarse signature and uuid
  std::map<std::string, CoverageContents> coverage;               // by profile
  std::map<std::string, ScoreContents> scores;                    // by uuid
  std::map<std::string, CauseContents> causes;                    // known ones, by name

  /// Throws UsageError for rows that no convict writes. The message does not name the database.
  static Contents read(Statements& sql);
  Contents& operator+=(const Contents& other);

  /// Removes from each unexplained row the hits that an explained row accounts for, and the candidates that a predicate
  /// explains or whose hits are gone.
  void finish();
};

}  // namespace convict::store

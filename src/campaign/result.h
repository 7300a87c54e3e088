// SPDX-License-Identifier: Apache-2.0
//
// What a campaign is told to do, what it has found, and what can be said of whom.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/bookkeeping.h"
#include "campaign/replay.h"
#include "campaign/standing.h"
#include "core/cause.h"
#include "core/coverage.h"
#include "core/verdict.h"
#include "diagnose/row_diagnoses.h"
#include "store/rows.h"
#include "store/store.h"
#include "workers/answers.h"
#include "workers/supervision_settings.h"

namespace convict::campaign {

/// Which cases of the campaign (seed, profile) to run: start + shard_index, then every shard_count-th.
struct CampaignSettings {
  workers::SupervisionSettings supervisor;
  std::string database;
  uint64_t start = 0;
  std::optional<uint64_t> cases;  // of all shards together
  std::optional<std::chrono::seconds> time;
  std::vector<Cause> known;  // causes that hits are tried against first
  bool steered = true;       // aim at what earlier campaigns of the profile did not reach
  uint64_t shard_index = 0, shard_count = 1;
  nlohmann::json flags = nlohmann::json::object();  // as given, for the record
  std::chrono::milliseconds shrink_time{0};         // for shrinking and explaining mismatches, beside the cases
  bool explains_after_time = true;                  // goes on with that when `time` is up
  std::optional<int64_t> resumed;                   // the campaign to resume: all of the above must be unchanged

  /// The number of cases of this shard; about 2^64 without `cases`.
  uint64_t cases_of_shard() const;
  /// Behind the last one of all shards.
  uint64_t end() const { return start + std::min(cases.value_or(UINT64_MAX), UINT64_MAX - start); }
  Shard shard() const { return {start + shard_index, shard_count, cases_of_shard()}; }
};

/// Whether a row is news: its status is neither new nor fixed; no campaign saw it before; one did.
enum class Novelty { kKnown, kNew, kAgain };
inline constexpr std::array<std::string_view, 3> kNoveltyNames = {"known", "new", "again"};
constexpr std::string_view name_of(Novelty novelty) { return kNoveltyNames[static_cast<size_t>(novelty)]; }

/// One row of the database as this campaign saw it.
struct Found {
  Mismatch example;  // the first hit; after the campaign the simplest one in the database
  int64_t id = 0;
  std::string signature;  // of the first hit; after the campaign that of the row
  uint64_t hits = 0;
  bool first_ever = false;
  std::string status;
  std::string predicate;  // empty until explained
  std::optional<int64_t> cause = {};
  std::string shows_if = {};  // the predicate for people, with its exceptions

  Novelty novelty() const;
  bool is_known() const { return novelty() == Novelty::kKnown; }
};

/// On how many cases a target has to be judged before anything is said of it.
struct Enough {
  /// If none of 300 cases fails, at most 1 in 100 of such cases does, at 95 % confidence: the rule of three, as in
  /// Standing::unseen_failures().
  static constexpr uint64_t kUsual = 300;
  std::optional<uint64_t> least = {};  // if the user says so
  std::optional<uint64_t> cases = {};  // if the user says how many there are, half of those that are its own are enough

  uint64_t of(const Standing& standing) const;
};

/// The result of a campaign; of a resumed one, since its first start.
struct CampaignResult {
  int64_t id = 0;  // in the database
  workers::Counts counts;
  double seconds = 0;
  bool interrupted = false;
  bool reference_is_wrong = false;
  std::vector<workers::RosterEntry> roster;
  std::vector<std::string> notes;
  Standings standings;
  Coverage coverage;  // of the profile: this campaign's added to the stored one; at the end that of all campaigns
  diagnose::DiagnosisThread::Present explaining;
  std::map<int64_t, store::CauseRow> causes;  // of the database, once it has ended; known ones as soon as one is hit
  std::map<int64_t, Found> found;             // by id; one that was joined with another stays until the end
  std::vector<Replayed> replayed;             // what earlier campaigns saw of the targets
  std::map<std::pair<std::string, std::string>, uint64_t> refusals;  // by (implementation, reason)

  bool has_begun() const { return id != 0; }

  /// Of the target at this position in the roster; nullptr if that is no target.
  Standing* standing_of(size_t position);
  /// The suspect, if it is a target, died of the case: it was put to the test.
  void note_death(const std::string& suspect, const Case& lost);
  /// A worker died while it ran this implementation, which has cost so many seconds.
  void note_loss(const std::string& running, double seconds);
  void count(const workers::Refusals& one);

  /// Targets that were judged on fewer legal cases than this: nothing can be said of them. Of several native
  /// kernels, which were hardly chosen by name, only those count that had their chance: twice as many cases of their
  /// own, and twenty; or all, if none of them was judged.
  std::vector<std::string> inconclusive(const Enough& enough) const;

  /// Mismatches of a suspect on legal cases.
  uint64_t hits_of(const std::string& suspect) const;

  /// What was replayed, still fails, and was not found again.
  std::vector<const Replayed*> still_failing() const;

  /// Whether a target has a mismatch that is not triaged as known.
  bool has_new_mismatch() const;
};

/// What the database knows of this, for workers that start later.
workers::KnownTuples known_tuples(const CampaignResult& result);

/// The rows that a campaign has seen, by id, as the database knows them. A note tells of each that makes no sense.
std::map<int64_t, Found> found_in(store::Store& store, int64_t campaign, std::vector<std::string>& notes);

/// Seconds and counters, with the number of cases that are done, for the database.
nlohmann::json counts_of(const CampaignResult& result, uint64_t cases);

/// What earlier campaigns saw of these implementations and had no time to repeat, by row.
std::map<int64_t, Mismatch> unconfirmed_in(const store::Store& store, const std::vector<workers::RosterEntry>& roster);

}  // namespace convict::campaign

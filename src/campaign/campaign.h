// SPDX-License-Identifier: Apache-2.0
//
// Many cases: sampled, examined by workers, counted, and their mismatches kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/coverage.h"
#include "core/verdict.h"
#include "store/store.h"
#include "workers/supervisor.h"

namespace convict::campaign {

/// Which cases of the campaign (seed, profile) to run: start + shard_index, then every shard_count-th.
struct CampaignSettings {
  workers::SupervisorSettings supervisor;
  std::string database;
  uint64_t start = 0;
  std::optional<uint64_t> cases;  // of all shards together
  std::optional<std::chrono::seconds> time;
  bool steered = true;  // aim at what earlier campaigns of the profile did not reach
  uint64_t shard_index = 0, shard_count = 1;
  nlohmann::json flags = nlohmann::json::object();  // as given, for the record
  std::chrono::milliseconds shrink_time{0};         // for shrinking and explaining what is found, beside the cases
  std::optional<int64_t> resumed;                   // the campaign to go on with: all of the above must be as it was

  /// How many cases that is; some 2^64 without `cases`.
  uint64_t cases_of_shard() const;
};

/// One signature as this campaign saw it.
struct Found {
  Mismatch example;  // the first hit; at the end of the campaign the simplest one in the database
  int64_t id = 0;    // in the database
  uint64_t hits = 0;
  bool first_ever = false;
  std::string status;
  std::string predicate;  // empty until explained

  /// "new" if nobody has seen the signature before this campaign, "again" if somebody has and it is not settled (what
  /// came back after a fix is not), else "known".
  std::string_view novelty() const;
};

/// Of a resumed campaign: all of it, from its first start on.
struct CampaignResult {
  int64_t id = 0;  // in the database
  workers::Counts counts;
  double seconds = 0;
  bool interrupted = false;
  bool reference_is_wrong = false;
  std::vector<workers::RosterEntry> roster;
  std::vector<std::string> notes;
  Coverage coverage;  // of the profile: this campaign's on top of what the database held; at the end all of it
  std::map<std::string, Found> found;  // by signature: the coarse one while it runs, at the end that of the row
  std::map<std::pair<std::string, std::string>, uint64_t> refusals;  // by (implementation, reason)

  /// Whether a target has a mismatch that nobody has triaged as known.
  bool has_new_mismatch() const;
};

/// Called several times a second with the result so far.
using Progress = std::function<void(const CampaignResult&)>;

/// Creates the database once the implementations are loaded, so that a misspelt name leaves nothing behind; one that
/// exists is opened before, because what it holds of the profile decides what the campaign aims at (docs/generator.md).
/// Throws UsageError or CannotJudge.
///
/// Every case is examined and recorded exactly once, whatever is killed and resumed in between: docs/decisions/0018.
CampaignResult run_campaign(const CampaignSettings& settings, const Progress& progress);

}  // namespace convict::campaign

// SPDX-License-Identifier: Apache-2.0
//
// What a campaign is told to do.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "campaign/bookkeeping.h"
#include "core/cause.h"
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

}  // namespace convict::campaign

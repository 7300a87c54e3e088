// SPDX-License-Identifier: Apache-2.0
//
// What a campaign that is resumed had come to, and what has changed since.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/target_survey.h"
#include "core/timeline.h"
#include "store/rows.h"
#include "workers/answers.h"
#include "workers/counts.h"

namespace convict::campaign {

struct EarlierRun {
  workers::Counts counts = {};
  double seconds = 0;
  Timeline timeline;  // no moment is later than `seconds`
  TargetSurveys surveys = {};
  nlohmann::json judged = nlohmann::json::object(), libraries = nlohmann::json::object();
  std::map<std::string, std::array<uint64_t, 2>> called = {};  // cases, by implementation: computed, and refused
  std::map<std::string, uint64_t> judged_on = {};  // cases, by target that is on trial again
  std::map<std::string, Intervals> apart = {};     // as DoneCases
  std::string version = {};  // of convict
};

/// Throws UsageError, which names the database, if the row makes no sense.
EarlierRun earlier_run(const store::StoredCampaign& campaign, const std::string& database);

/// A note for each difference that may give other cases or other results.
std::vector<std::string> changes_since(const EarlierRun& before, const store::CampaignInfo& now);

}  // namespace convict::campaign

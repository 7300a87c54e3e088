// SPDX-License-Identifier: Apache-2.0
//
// Asks the targets, before a campaign, what they take, and shares the cases out among them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "generate/generate.h"
#include "workers/supervision_settings.h"

namespace convict::campaign {

/// A target, what it takes, and its part of the cases: 0 if it takes nothing.
struct SurveyedTarget {
  std::string name;
  generate::Survey survey;
  int parts = 0;
};

struct TargetSurveys {
  std::vector<SurveyedTarget> targets;  // in the order of the roster
  std::vector<std::string> notes;       // on those that died of being asked: nothing is known of them

  /// For the sampling: of those that have a part.
  std::vector<generate::Share> shares() const;

  /// An array, one element a target.
  nlohmann::json to_json() const;
  /// Throws nlohmann::json::exception, or UsageError for numbers that to_json() does not write.
  static TargetSurveys from_json(const nlohmann::json& json);
};

/// Asks in a process of its own, which loads the targets only. Those that take half of the profile or more share three
/// quarters of the cases, and the others one quarter, each of them alike: a kernel that takes little needs cases of its
/// own, which the others take, too, but learn little from. Takes some tenths of a second. `end`: where the
/// campaign is over; if no case aims at a rare pair before, pairs are not asked for. Throws UsageError or CannotJudge
/// if the targets cannot be loaded.
TargetSurveys survey_targets(workers::SupervisionSettings settings, uint64_t end);

}  // namespace convict::campaign

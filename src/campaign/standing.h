// SPDX-License-Identifier: Apache-2.0
//
// The targets of a campaign: what they take, which they are asked before, and how much of it they were judged on: only
// that counts.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/coverage.h"
#include "generate/generate.h"
#include "generate/survey.h"
#include "workers/messages.h"
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

/// What they cost the targets that are judged in the same processes.
struct Deaths {
  uint64_t count = 0;
  double seconds = 0;
};

/// What a target was judged on.
struct Standing {
  generate::Survey survey = {};
  double share = 0;                                    // of the cases, that are drawn in its domain
  uint64_t judged = 0;                                 // cases
  uint64_t behind = 0;                                 // cases that are done, and not for it: it has a lane of its own
  Coverage pairs = Coverage(Coverage::Depth::kPairs);  // of features, in these and in those it died of
  std::vector<uint64_t> levels = {};                   // how many of these had each level, by number_of(); empty: none
  Deaths deaths = {};                                  // of workers, while it ran

  /// The upper end, at 95 % confidence, of the share of such cases on which it fails, if none of those judged has
  /// failed: (1 - p)^judged = 0.05, which is about 3 / judged. (Hanley, Lippman-Hand, "If nothing goes wrong, is
  /// everything all right?", JAMA 249(13), 1983.) 1 if none was judged.
  double unseen_failures() const;

  /// It was put to the test as well: its pairs count.
  void died_of(const Case& c);
  void add_levels(std::span<const uint64_t> counts);

  uint32_t pairs_in_domain() const { return survey.possible_pairs(pairs); }
  generate::Gaps gaps() const { return survey.gaps(levels); }
};

using Standings = std::map<std::string, Standing>;  // by target

/// The numbers of judged cases, the pairs and the levels, without the surveys: the column `judged` of the table
/// `campaigns`.
nlohmann::json to_json(const Standings& standings);

/// Of the targets of a roster. `judged`: what to_json() has written of an earlier run of the campaign; pairs of another
/// feature table are ignored, and what makes no sense.
Standings standings_of(const TargetSurveys& surveys, const std::vector<workers::RosterEntry>& roster,
                       const nlohmann::json& judged);

}  // namespace convict::campaign

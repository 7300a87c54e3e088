// SPDX-License-Identifier: Apache-2.0
//
// Finds out what a target takes, by asking it before the campaign: cases to walk from, which levels and pairs of levels
// it accepts, and where it accepts nothing, which condition is never met.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/features.h"
#include "generate/domain.h"
#include "generate/profile.h"

namespace convict::generate {

/// For each case, why the target refuses it; nothing if it computes the case.
using Ask = std::function<std::vector<std::optional<std::string>>(std::span<const Case>)>;

/// A level of a feature.
struct Level {
  FeatureId feature;
  uint8_t level;
  bool operator==(const Level&) const = default;
};

/// "passes: backward_data, backward_weights; ranks: 1, 3": levels by their features.
std::string in_words(std::span<const Level> levels);

/// What a target does not refuse, and how much of a profile that is.
struct Survey {
  Domain domain;
  uint64_t asked = 0, taken = 0;  // cases of the profile, drawn without aiming at anything
  std::vector<Level> never;       // levels that cases of the profile have, and none that was accepted
  // If nothing was accepted: what the target says where it refuses last. It knows more conditions than those that it
  // tests first, and the cases that come furthest say which one blocks.
  std::string blocked_by;

  /// Takes so much that its cases need no walk.
  bool is_wide() const { return 2 * taken >= asked; }
  bool is_empty() const { return taken == 0 && !domain.is_walked(); }

  /// All of that.
  nlohmann::json to_json() const;
  static Survey from_json(const nlohmann::json& json);
};

/// How many questions are asked at once, for targets that answer many at the price of one.
inline constexpr size_t kQuestionsAtOnce = 64;

/// What a target is asked.
struct Questionnaire {
  const Profile* profile = nullptr;  // nullptr is `all`
  uint64_t seed = 1;
  bool pairs = true;                // aim at pairs, too; without, all of levels that were accepted count as accepted
  std::vector<Case> examples = {};  // that it may take
};

/// Draws cases of the profile. Of a target that takes less than half of them, it looks for accepted ones in the examples,
/// in further cases, and near those that were refused for rare reasons, and walks from what it has found until the walks
/// are distributed as the profile is inside the domain. Then it aims at each level and each pair of levels that no
/// accepted case has shown, with walks: a level is called never accepted after kTriesOfLevel refusals, a pair after
/// kTriesOfPair. Once go_on() is false, it asks no more.
Survey survey(const Questionnaire& questionnaire, const Ask& ask, const std::function<bool()>& go_on);

inline constexpr int kTriesOfLevel = 48, kTriesOfPair = 24;

}  // namespace convict::generate

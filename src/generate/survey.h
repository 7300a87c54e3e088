// SPDX-License-Identifier: Apache-2.0
//
// What a target takes, as its answers have told: cases to walk from, which levels and pairs of levels it accepts, and
// where it accepts nothing, which condition is never met.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/coverage.h"
#include "core/features.h"
#include "generate/domain.h"

namespace convict::generate {

/// A level of a feature.
struct Level {
  FeatureId feature;
  uint8_t level;
  bool operator==(const Level&) const = default;
};

/// "pass: backward_data | backward_weights; rank: 1 | 3": levels by their features.
std::string in_words(std::span<const Level> levels);
/// {"pass": ["backward_data", "backward_weights"], "rank": ["1", "3"]}.
nlohmann::json by_feature(std::span<const Level> levels);

/// So many cases say something of a level.
inline constexpr uint64_t kHardly = 10;

/// What a target was not judged on, though the profile has it: levels that it never accepted, and levels that it
/// accepts and fewer than kHardly of the judged cases had.
struct Gaps {
  std::vector<Level> never, hardly;
};

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
  /// `judged`: how many of the judged cases had each level, by number_of() (core/coverage.h); empty: there are none.
  Gaps gaps(std::span<const uint64_t> judged) const;
  /// Pairs that the target can be judged on: those that it accepted when it was asked, and those seen since.
  uint32_t possible_pairs(const Coverage& seen) const;

  /// All of that.
  nlohmann::json to_json() const;
  static Survey from_json(const nlohmann::json& json);
};

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
//
// What a target takes, as far as its answers have told: accepted cases to walk from, and the pairs of levels of
// features (core/features.h) that some accepted case has.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "core/case.h"
#include "core/coverage.h"
#include "core/features.h"
#include "generate/choices.h"

namespace convict::generate {

/// How a case is made (draw.h): the words of its steps, the tuple that it aims at, and the steps that have the
/// results of an example.
struct Recipe {
  static constexpr uint32_t kNoWish = UINT32_MAX;
  Choices choices = {};
  uint32_t wish = kNoWish;  // the number of a tuple
  uint64_t kept = 0;        // a bit for each step
  uint32_t example = 0;     // which one, if any step is kept
  bool operator==(const Recipe&) const = default;
};
static_assert(kStepCount <= 64);

/// Steps that a walk draws again together, and how often beside other moves.
struct Move {
  uint64_t steps = 0;  // a bit each
  uint32_t tries = 1;
  bool operator==(const Move&) const = default;
};

/// What a walk does (moves.h).
struct Moves {
  uint64_t loose = 0;      // steps that may be drawn again with hardly a refusal
  std::vector<Move> tied;  // the others, alone and together
  int64_t tries() const;
  bool operator==(const Moves&) const = default;
};

class Domain {
 public:
  /// Everything.
  Domain() = default;
  /// What shows only these pairs.
  explicit Domain(std::vector<bool> pairs) : pairs_(std::move(pairs)) {}

  /// Accepted cases, distributed as the profile has them inside. Empty for a target that takes half of the profile or
  /// more: its cases are found by drawing again.
  std::vector<Recipe> starts;
  /// Accepted cases with pairs that none of `starts` has.
  std::vector<Recipe> rare;
  Moves moves;
  /// Cases that the user has named; recipes may keep parts of them.
  std::vector<Case> examples;

  /// Whether cases are found by walking from `starts`.
  bool is_walked() const { return !starts.empty(); }
  bool is_whole() const { return pairs_.empty() && starts.empty(); }
  /// Whether nothing was refused that was aimed at: then no case can show what lacks, and wishes are those of the
  /// profile.
  bool takes_all = false;
  /// Whether an accepted case had this level; whether one had each pair of the tuple.
  bool has(FeatureId feature, int level) const;
  bool contains(const Tuple& tuple) const;
  /// Pairs of levels, if it is not whole.
  uint32_t pairs() const;
  bool has_pair(uint32_t id) const { return pairs_.empty() || pairs_[id]; }

  /// Null for everything.
  nlohmann::json to_json() const;
  /// Everything, for pairs of another feature table and for recipes of other steps. Throws nlohmann::json::exception,
  /// or UsageError for a text that to_json() does not write.
  static Domain from_json(const nlohmann::json& json);

  bool operator==(const Domain&) const = default;

 private:
  std::vector<bool> pairs_;  // by number; empty: all of them
};

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
//
// What a target takes, as far as the levels of features (core/features.h) tell, and pairs of them. Cases are drawn
// inside it, so that a kernel that takes one case in a thousand is judged on nearly all of its cases.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/coverage.h"
#include "core/features.h"
#include "core/random.h"
#include "generate/plan.h"

namespace convict::generate {

class Domain {
 public:
  static constexpr int kMostLevels = 16;               // of a feature
  static constexpr uint32_t kLargestWeight = 1 << 24;  // so that the sum of a feature's is a number to draw below

  /// Everything.
  Domain() = default;

  /// Leaves a level of a feature out, or not. `weights`: how often each level is drawn otherwise, which remains the
  /// ratio of those that are left.
  void restrict(FeatureId feature, const std::array<uint32_t, kMostLevels>& weights);

  /// Leaves out all cases that show this pair of levels (core/coverage.h).
  void refuse_pair(uint32_t id);

  /// Pairs inside that few cases show: wishes come to them early, in the order of add_rare_pair().
  void add_rare_pair(uint32_t id) { rare_pairs_.push_back(id); }
  const std::vector<uint32_t>& rare_pairs() const { return rare_pairs_; }

  bool is_whole() const { return restricted_ == 0 && refused_pairs_.empty(); }
  bool is_restricted(FeatureId feature) const { return (restricted_ >> feature & 1) != 0; }
  bool has(FeatureId feature, int level) const { return !is_restricted(feature) || weights_[feature][level] > 0; }
  bool contains(const Levels& levels) const;
  bool contains(const Tuple& tuple) const;

  /// Changes what the plan asks for to levels of the domain: those of restricted features that it leaves free, or that
  /// it has outside.
  void confine(Plan& plan, Random& random) const;

  /// {"pass": {"forward": 120}, "type": {"f32": 85}}: the levels of restricted features, with their weights; and under
  /// "pairs" the feature table, and the numbers of the refused and of the rare ones.
  nlohmann::json to_json() const;
  /// Ignores features and levels that this program does not know, and pairs of another feature table. Throws
  /// nlohmann::json::exception, or UsageError for a weight or a pair that is none.
  static Domain from_json(const nlohmann::json& json);

  bool operator==(const Domain&) const = default;

 private:
  void confine_threads(Plan& plan, Random& random) const;
  bool takes_pairs(const Levels& levels) const;
  /// Of the features i and j of a tuple.
  bool takes_pair(const Tuple& tuple, int i, int j) const;

  static_assert(kFeatureCount <= 64);
  uint64_t restricted_ = 0;                                                 // a bit for each feature
  std::array<std::array<uint32_t, kMostLevels>, kFeatureCount> weights_{};  // of restricted features
  std::vector<bool> refused_pairs_;                                         // by number; empty if there are none
  std::vector<uint32_t> rare_pairs_;
};

/// What a target does not refuse, and how much of a profile that is.
struct Survey {
  Domain domain;
  uint64_t asked = 0, taken = 0;        // cases of the whole profile
  uint64_t asked_in = 0, taken_in = 0;  // cases drawn in the domain

  /// Takes so much that its cases need no aiming.
  bool is_wide() const { return 2 * taken >= asked; }
  bool is_empty() const { return taken == 0 && taken_in == 0; }

  /// The domain and the four numbers.
  nlohmann::json to_json() const;
  static Survey from_json(const nlohmann::json& json);
};

}  // namespace convict::generate

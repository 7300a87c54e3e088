// SPDX-License-Identifier: Apache-2.0
//
// What a case is asked to look like before it is drawn: levels of some features (core/features.h), the others free.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/coverage.h"
#include "core/features.h"
#include "core/random.h"
#include "generate/profile.h"

namespace convict::generate {

/// A plan is asked of the steps of the draw; each does what it can. Only a wish is held against the result.
class Plan {
 public:
  static constexpr int kFree = -1;

  Plan() { level_.fill(kFree); }

  int operator[](FeatureId feature) const { return level_[feature]; }
  bool is(FeatureId feature, int level) const { return level_[feature] == level; }
  bool is_free(FeatureId feature) const { return level_[feature] == kFree; }
  void ask(FeatureId feature, int level) { level_[feature] = static_cast<int8_t>(level); }

  /// Asks for all levels of a tuple, and remembers that they are a wish.
  void wish(const Tuple& tuple);
  const Tuple& wished() const { return wish_; }
  bool wishes() const { return wish_.size > 0; }
  bool wishes(FeatureId feature) const;

  bool typical = false;  // values of with_typical_values
  bool busy = false;     // types, beta, views, calls and threads other than the usual ones are frequent, else rare
  int64_t threads = 1;   // unless the wish has its own: changing them makes libraries build new pools of threads
  bool roomy = false;    // the whole budget may be used
  bool thrifty = false;  // sizes nobody asks for stay minimal, so that the wish fits into the budget

 private:
  std::array<int8_t, kFeatureCount> level_;
  Tuple wish_;
};

/// Share of the blocks that are busy.
inline constexpr double kBusyShare = 0.25;

/// Cases in a row that share a mask.
inline constexpr uint64_t kBlock = 32;

/// The mask of a block: features that are off, or pinned to one level, for all its cases. A block draws first how many
/// are off, whether values are typical, and whether it is busy, so that "this one thing, and nothing else" is as
/// frequent as everything at once. (Groce, Zhang, Eide, Chen, Regehr, "Swarm Testing", ISSTA 2012: omitting features
/// finds more faults than having all of them.)
Plan mask_of_block(const Profile& profile, uint64_t seed, uint64_t block);

/// The number-th wish of a campaign: focus[number] and around, or without one a permutation of all tuples that depends
/// on the seed.
Tuple wish_of(std::span<const uint32_t> focus, uint64_t seed, uint64_t number);

}  // namespace convict::generate

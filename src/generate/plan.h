// SPDX-License-Identifier: Apache-2.0
//
// The levels that a case should have, set before it is drawn. Features (core/features.h) without a level are free.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/coverage.h"
#include "core/features.h"
#include "core/random.h"
#include "generate/choices.h"
#include "generate/profile.h"

namespace convict::generate {

/// The steps of the draw follow a plan as far as they can. Only the levels of a wish are checked in the result.
class Plan {
 public:
  static constexpr int kFree = -1;

  Plan() { level_.fill(kFree); }

  int operator[](FeatureId feature) const { return level_[feature]; }
  bool is(FeatureId feature, int level) const { return level_[feature] == level; }
  bool is_free(FeatureId feature) const { return level_[feature] == kFree; }
  void ask(FeatureId feature, int level) { level_[feature] = static_cast<int8_t>(level); }

  /// Asks for all levels of a tuple, and marks them as the wish.
  void wish(const Tuple& tuple);
  const Tuple& wished() const { return wish_; }
  bool wishes() const { return wish_.size > 0; }
  bool wishes(FeatureId feature) const;

  bool typical = false;  // draws the values of with_typical_values
  bool busy = false;     // unusual types, beta, views, calls and threads are frequent, else rare
  int64_t threads = 1;   // unless the wish sets them; alike in a block, as libraries build a new pool for each change
  bool roomy = false;    // the whole budget may be used
  bool thrifty = false;  // sizes that are not asked for stay minimal, so that the wish fits into the budget

 private:
  std::array<int8_t, kFeatureCount> level_;
  Tuple wish_;
};

/// The share of blocks that are busy.
inline constexpr double kBusyShare = 0.25;

/// Cases in a row that share a mask.
inline constexpr uint64_t kBlock = 32;

/// The mask of a block: features that are off, or pinned to one level, for all its cases. A block first draws how many
/// are off, whether values are typical, and whether it is busy. So cases with one unusual feature are as frequent as
/// cases with many. (Groce, Zhang, Eide, Chen, Regehr, "Swarm Testing", ISSTA 2012: omitting features finds more faults
/// than having all of them.)
Plan mask_of_block(const Profile& profile, uint64_t seed, uint64_t block);

/// The mask of one case: what each row of it does follows from the word of its step.
Plan mask_of(const Profile& profile, const Choices& choices);

/// Wish `number` of a campaign: focus[number modulo its size]; without a focus, from a permutation of all tuples that
/// depends on the seed.
Tuple wish_of(std::span<const uint32_t> focus, uint64_t seed, uint64_t number);

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
#include "generate/plan.h"

#include <algorithm>
#include <numeric>

namespace convict::generate {
namespace {

using namespace feature;
using namespace levels;

/// What a mask may do to a feature. Types, fills, views and the like are not pinned: they have their own rates.
struct Maskable {
  FeatureId id;
  int off;      // the level that is off; Plan::kFree if there is none
  double rate;  // how often it is off, relative to the block's share
  double pin;   // how often a feature that is not off is pinned to a level
  int most;     // only levels below this one may be pinned
};

constexpr Maskable kMaskable[] = {
    {kOp, Plan::kFree, 0, 0.3, 2},
    {kPass, Plan::kFree, 0, 0.3, 3},
    {kRank, Plan::kFree, 0, 0.3, 3},
    {kBatch, 1, 1, 0.2, 4},
    {kGrouping, kDense, 1, 0.4, 4},
    {kInputChannels, Plan::kFree, 0, 0.2, 7},
    {kOutputChannels, Plan::kFree, 0, 0.2, 7},
    {kKernelLast, Plan::kFree, 0, 0.3, 6},
    {kKernelAxes, Plan::kFree, 0, 0.3, 5},
    {kStride, kOnes, 1, 0.3, 5},
    {kPhase, Plan::kFree, 0, 0.1, 4},
    {kDilation, kDenseTaps, 1, 0.3, 5},
    {kPadding, kNone, 0.5, 0.4, 9},
    {kOutputPadding, kNoOutputPadding, 0.6, 0.1, 4},
    {kOutLast, Plan::kFree, 0, 0.15, 6},
    {kInAxes, Plan::kFree, 0, 0.1, 3},
    {kRemainder, Plan::kFree, 0, 0.1, 3},
    {kBias, 0, 0.4, 0, 0},
    {kLayouts, kFirst, 0.7, 0.2, 4},
    {kWeights, Plan::kFree, 0, 0.2, 4},
};

constexpr double kThreadedShare = 0.12;  // share of blocks with several threads

}  // namespace

void Plan::wish(const Tuple& tuple) {
  wish_ = tuple;
  for (int i = 0; i < tuple.size; ++i) ask(tuple.feature[i], tuple.level[i]);
}

bool Plan::wishes(FeatureId feature) const {
  return std::find(wish_.feature, wish_.feature + wish_.size, feature) != wish_.feature + wish_.size;
}

Plan mask_of_block(const Profile& profile, uint64_t seed, uint64_t block) {
  Random random(mix(seed ^ 0x6d61736b), block);
  constexpr double kOffRates[] = {0, 0.25, 0.5, 0.8};
  const double off = profile.features_off ? random.pick<double>(kOffRates) : 0;
  Plan plan;
  plan.typical = random.chance(0.5);
  plan.busy = random.chance(kBusyShare);
  constexpr int64_t kThreads[] = {2, 3, 4, 8};
  if (random.chance(kThreadedShare)) plan.threads = random.pick<int64_t>(kThreads);
  const double pins = plan.typical ? 0.3 : 1;
  for (const Maskable& row : kMaskable) {
    if (row.off != Plan::kFree && random.chance(row.rate * off))
      plan.ask(row.id, row.off);
    else if (random.chance(pins * row.pin))
      plan.ask(row.id, static_cast<int>(random.below(row.most)));
  }
  return plan;
}

Tuple wish_of(std::span<const uint32_t> focus, uint64_t seed, uint64_t number) {
  if (!focus.empty()) return tuple_of(focus[number % focus.size()] % tuple_count());
  const uint64_t count = tuple_count();
  uint64_t factor = mix(seed) % count | 1;  // x -> factor * x + start is a permutation: they have no common divisor
  while (std::gcd(factor, count) != 1) factor += 2;
  return tuple_of(static_cast<uint32_t>((factor * (number % count) + mix(seed + 1) % count) % count));
}

}  // namespace convict::generate

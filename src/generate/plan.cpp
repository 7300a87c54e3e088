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
  Step step;    // which draws the feature
  int off;      // the level that is off; Plan::kFree if there is none
  double rate;  // how often it is off, relative to the block's share
  double pin;   // how often a feature that is not off is pinned to a level
  int most;     // only levels below this one may be pinned
};

constexpr Maskable kMaskable[] = {
    {kOp, Step::kOperation, Plan::kFree, 0, 0.3, 2},
    {kPass, Step::kPass, Plan::kFree, 0, 0.3, 3},
    {kRank, Step::kRank, Plan::kFree, 0, 0.3, 3},
    {kBatch, Step::kBatch, 1, 1, 0.2, 4},
    {kGrouping, Step::kGrouping, kDense, 1, 0.4, 4},
    {kInputChannels, Step::kInput, Plan::kFree, 0, 0.2, 7},
    {kOutputChannels, Step::kOutput, Plan::kFree, 0, 0.2, 7},
    {kKernelLast, Step::kKernel, Plan::kFree, 0, 0.3, 6},
    {kKernelAxes, Step::kKernel, Plan::kFree, 0, 0.3, 5},
    {kStride, Step::kStride, kOnes, 1, 0.3, 5},
    {kPhase, Step::kStride, Plan::kFree, 0, 0.1, 4},
    {kDilation, Step::kDilation, kDenseTaps, 1, 0.3, 5},
    {kPadding, Step::kPadding, kNone, 0.5, 0.4, 9},
    {kOutputPadding, Step::kOutputPadding, kNoOutputPadding, 0.6, 0.1, 4},
    {kOutLast, Step::kExtent, Plan::kFree, 0, 0.15, 6},
    {kInAxes, Step::kExtent, Plan::kFree, 0, 0.1, 3},
    {kRemainder, Step::kRest, Plan::kFree, 0, 0.1, 3},
    {kBias, Step::kBias, 0, 0.4, 0, 0},
    {kLayouts, Step::kLayouts, kFirst, 0.7, 0.2, 4},
    {kWeights, Step::kWeights, Plan::kFree, 0, 0.2, 4},
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

namespace {

/// `at(step)` is what a step draws with.
Plan draw_mask(const Profile& profile, const auto& at) {
  Random& style = at(Step::kStyle);
  constexpr double kOffRates[] = {0, 0.25, 0.5, 0.8};
  const double off = profile.features_off ? style.pick<double>(kOffRates) : 0;
  Plan plan;
  plan.typical = style.chance(0.5);
  plan.busy = style.chance(kBusyShare);
  constexpr int64_t kThreads[] = {2, 3, 4, 8};
  Random& threads = at(Step::kThreads);
  if (threads.chance(kThreadedShare)) plan.threads = threads.pick<int64_t>(kThreads);
  const double pins = plan.typical ? 0.3 : 1;
  for (const Maskable& row : kMaskable) {
    Random& random = at(row.step);
    if (row.off != Plan::kFree && random.chance(row.rate * off))
      plan.ask(row.id, row.off);
    else if (random.chance(pins * row.pin))
      plan.ask(row.id, static_cast<int>(random.below(row.most)));
  }
  return plan;
}

}  // namespace

Plan mask_of_block(const Profile& profile, uint64_t seed, uint64_t block) {
  Random random(mix(seed ^ 0x6d61736b), block);
  return draw_mask(profile, [&](Step) -> Random& { return random; });
}

Plan mask_of(const Profile& profile, const Choices& choices) {
  constexpr uint64_t kUse = 0x6d61736b;
  Random random(0, 0);
  uint32_t row = 0;  // several rows may have one step
  return draw_mask(profile, [&](Step step) -> Random& { return random = choices.at(step, row++, kUse); });
}

Tuple wish_of(std::span<const uint32_t> focus, uint64_t seed, uint64_t number) {
  if (!focus.empty()) return tuple_of(focus[number % focus.size()] % tuple_count());
  const uint64_t count = tuple_count();
  uint64_t factor = mix(seed) % count | 1;  // x -> factor * x + start is a permutation: they have no common divisor
  while (std::gcd(factor, count) != 1) factor += 2;
  return tuple_of(static_cast<uint32_t>((factor * (number % count) + mix(seed + 1) % count) % count));
}

}  // namespace convict::generate

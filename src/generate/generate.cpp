// SPDX-License-Identifier: Apache-2.0
#include "generate/generate.h"

#include <algorithm>
#include <cmath>

#include "core/geometry.h"
#include "core/random.h"
#include "generate/draft.h"
#include "generate/invalid.h"
#include "generate/plan.h"
#include "generate/special.h"

namespace convict::generate {
namespace {

constexpr int kDraws = 4;  // of a case with a wish

/// Reduces batch, then groups, then channels while a tensor or the cost is too large. Keeps the drawn geometry.
void trim(const Profile& profile, Draft& draft) {
  Case& c = draft.c;
  double x = 1, y = 1, taps = 1;
  for (int axis = 0; axis < c.rank; ++axis) {
    x *= static_cast<double>(draft.x_extent[axis]);
    y *= static_cast<double>(draft.y_extent[axis]);
    taps *= static_cast<double>(c.kernel[axis]);
  }
  const auto fits = [&] {
    const auto images = static_cast<double>(c.batch * c.groups);
    const auto x_channels = static_cast<double>(draft.x_channels), y_channels = static_cast<double>(draft.y_channels);
    return images * std::max(x * x_channels, y * y_channels) <= static_cast<double>(profile.most_elements) &&
           images * x_channels * y_channels * taps * y <= profile.most_macs;
  };
  for (int64_t* count : {&c.batch, &c.groups, &draft.x_channels, &draft.y_channels})
    while (*count > 1 && !fits()) *count /= 2;
}

Case draw(const Profile& usual, const Plan& plan, Random& random) {
  const Profile profile = plan.typical ? with_typical_values(usual) : usual;
  const double least = std::log2(profile.least_macs), most = std::log2(profile.most_macs);
  const double share = plan.roomy ? 1 : static_cast<double>(random.below(1000)) / 1000;
  Draft draft{profile, plan, random, std::exp2(least + (most - least) * share)};
  draw_operation(draft);
  draw_sizes(draft);
  draw_padding(draft);
  trim(profile, draft);
  Case& c = draft.c;
  c.ic = c.groups * (draft.is_conv() ? draft.x_channels : draft.y_channels);
  c.oc = c.groups * (draft.is_conv() ? draft.y_channels : draft.x_channels);
  draw_data(draft);
  return c;
}

bool shows(const Case& c, const Tuple& wish) {
  const Resolved resolved = resolve(c);
  for (int i = 0; i < wish.size; ++i)
    if (features()[wish.feature[i]].level(c, resolved.problem) != wish.level[i]) return false;
  return true;
}

/// The next wish that does not change the number of threads of the block.
Tuple wish_for(const Sampling& sampling, const Plan& mask, uint64_t number) {
  constexpr uint64_t kTries = 8, kFarAway = 7919;
  Tuple wish;
  for (uint64_t i = 0; i < kTries; ++i) {
    wish = wish_of(sampling.focus, sampling.seed, number + i * kFarAway);
    const auto end = wish.feature + wish.size, at = std::find(wish.feature, end, feature::kThreads);
    if (at == end || levels::kThreadCounts[wish.level[at - wish.feature]].contain(mask.threads)) break;
  }
  return wish;
}

/// Draws a case for the wish. Drops the mask from the second draw on, because the two may contradict each other.
Case draw_wished(const Profile& profile, const Plan& mask, const Tuple& wish, Random& random) {
  Plan plan = mask;
  Case c;
  for (int attempt = 0; attempt < kDraws; ++attempt) {
    if (attempt > 0) {
      plan = {};  // drops typical values, too
      plan.threads = mask.threads;
      plan.roomy = true;
    }
    plan.wish(wish);
    plan.thrifty = attempt >= 2;
    c = draw(profile, plan, random);
    if (shows(c, wish)) break;
  }
  return c;
}

}  // namespace

Case generate(const Sampling& sampling, uint64_t index) {
  Random random(sampling.seed, index);
  const double at = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  const Profile& profile = sampling.profile ? *sampling.profile : profile_of_all(at);
  const bool illegal = random.chance(profile.invalid);
  Case c;
  if (profile.sampler != Sampler::kSteered) {
    c = draw_special(profile, random);
  } else {
    const Plan mask = mask_of_block(profile, sampling.seed, index / kBlock);
    const bool wishes = index % 2 != 0 && !illegal;
    c = wishes ? draw_wished(profile, mask, wish_for(sampling, mask, index / 2), random) : draw(profile, mask, random);
  }
  if (illegal) make_illegal(c, random);
  return c;
}

Case generate(const Profile* profile, uint64_t seed, uint64_t index) {
  return generate(Sampling{.profile = profile, .seed = seed}, index);
}

Case generate_wished(const Profile& profile, const Tuple& wish, uint64_t seed, uint64_t index) {
  Random random(mix(seed ^ 0x77697368), index);
  return draw_wished(profile, {}, wish, random);
}

Case generate_invalid(const Profile* profile, uint64_t seed, uint64_t index) {
  Random random(mix(seed ^ 0x696e7664), index);
  const double at = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  const Profile& chosen = profile ? *profile : profile_of_all(at);
  Case c = chosen.sampler == Sampler::kSteered ? draw(chosen, mask_of_block(chosen, seed, index / kBlock), random)
                                               : draw_special(chosen, random);
  make_illegal(c, random);
  return c;
}

}  // namespace convict::generate

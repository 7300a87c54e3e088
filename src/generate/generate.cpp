// SPDX-License-Identifier: Apache-2.0
#include "generate/generate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "abi/validity.h"
#include "core/geometry.h"
#include "core/random.h"
#include "generate/draft.h"
#include "generate/plan.h"

namespace convict::generate {
namespace {

constexpr int kDraws = 4;  // of a case with a wish
// For one place; after so many refusals of its target, a wish is given up.
constexpr uint32_t kWishedDraws = 4, kDrawsOfRarePair = 24;
// The first wishes of a share. Rare pairs are often empty problems, which a short campaign should not be full of.
constexpr uint64_t kWishesBeforeRarePairs = kIndicesBeforeRarePairs / 2;

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
  const double share = plan.roomy ? 1 : std::pow(static_cast<double>(random.below(1000)) / 1000, profile.cheap);
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

/// The next wish within the domain that does not change the number of threads of the block; none if some tries do not
/// find it.
std::optional<Tuple> wish_for(const Sampling& sampling, const Domain& domain, const Plan& mask, uint64_t number) {
  constexpr uint64_t kFarAway = 7919;
  const uint64_t tries = domain.is_whole() ? 8 : 500;
  std::optional<Tuple> wish;
  for (uint64_t i = 0; i < tries; ++i) {
    const Tuple next = wish_of(sampling.focus, sampling.seed, number + i * kFarAway);
    if (!domain.contains(next)) continue;
    wish = next;
    const auto end = next.feature + next.size, at = std::find(next.feature, end, feature::kThreads);
    if (at == end || levels::kThreadCounts[next.level[at - next.feature]].contain(mask.threads)) break;
  }
  return wish;
}

/// A rare pair of the domain of a share, if it is the turn of one: after its first wishes.
std::optional<Tuple> rare_wish(const Sampling& sampling, const Share& share, uint64_t index) {
  uint64_t all = 0, before = 0;  // parts
  for (const Share& one : sampling.shares) {
    all += static_cast<uint64_t>(one.parts);
    if (&one < &share) before += static_cast<uint64_t>(one.parts);
  }
  const uint64_t pair = index / 2;  // of indices, of which one has a wish
  const uint64_t number = pair / all * static_cast<uint64_t>(share.parts) + pair % all - before;
  const std::vector<uint32_t>& rare = share.domain.rare_pairs();
  if (number < kWishesBeforeRarePairs || number - kWishesBeforeRarePairs >= rare.size()) return std::nullopt;
  return tuple_of(rare[number - kWishesBeforeRarePairs]);
}

/// Draws a case for the wish. Drops the mask from the second draw on, because the two may contradict each other.
Case draw_wished(const Profile& profile, const Plan& mask, const Domain& domain, const Tuple& wish, Random& random) {
  Plan plan = mask;
  Case c;
  for (int attempt = 0; attempt < kDraws; ++attempt) {
    if (attempt > 0) {
      plan = {};  // drops typical values, too
      plan.threads = mask.threads;
      plan.roomy = true;
      domain.confine(plan, random);
    }
    plan.wish(wish);
    plan.thrifty = attempt >= 2;
    c = draw(profile, plan, random);
    if (shows(c, wish)) break;
  }
  return c;
}

/// Makes a case illegal in one way. Returns false if the case does not allow it.
using Spoil = bool (*)(Case&, const convict_problem&, Random&, int axis);

bool too_much_output_padding(Case& c, const convict_problem&, Random& random, int axis) {
  if (c.op != CONVICT_CONV_TRANSPOSE || is_same(c)) return false;
  c.output_padding[axis] = std::max(c.stride[axis], c.dilation[axis]) + random.below(2);
  return true;
}

bool output_padding_of_conv(Case& c, const convict_problem&, Random&, int axis) {
  if (c.op != CONVICT_CONV || is_same(c)) return false;
  c.output_padding[axis] = 1;
  return true;
}

/// Sets groups that divide the channels of one side only.
bool groups_do_not_divide(Case& c, int64_t Case::*broken, int64_t Case::*whole, Random& random) {
  if (c.groups == 1) {
    c.groups = random.between(2, 3);
    c.*whole *= c.groups;
    c.*broken *= c.groups;
  }
  c.*broken += random.between(1, c.groups - 1);
  return true;
}

bool groups_do_not_divide_ic(Case& c, const convict_problem&, Random& random, int) {
  return groups_do_not_divide(c, &Case::ic, &Case::oc, random);
}

bool groups_do_not_divide_oc(Case& c, const convict_problem&, Random& random, int) {
  return groups_do_not_divide(c, &Case::oc, &Case::ic, random);
}

bool window_too_large(Case& c, const convict_problem& p, Random& random, int axis) {
  if (c.op != CONVICT_CONV || is_same(c)) return false;
  const int64_t padded = c.in[axis] + p.pad_begin[axis] + p.pad_end[axis];  // a window of one more does not fit
  c.kernel[axis] = (padded + c.dilation[axis] - 1) / c.dilation[axis] + 1 + random.below(2);
  return true;
}

bool everything_cropped(Case& c, const convict_problem& p, Random& random, int axis) {
  if (c.pad_mode != PadMode::kExplicit) return false;
  int64_t& side = random.chance(0.5) ? c.pad_begin[axis] : c.pad_end[axis];
  const int64_t more = random.below(2);
  if (c.op == CONVICT_CONV_TRANSPOSE)
    side += p.out[axis] + more;
  else
    side -= c.in[axis] + c.pad_begin[axis] + c.pad_end[axis] + more;
  return true;
}

constexpr Spoil kSpoils[] = {too_much_output_padding, output_padding_of_conv, groups_do_not_divide_ic,
                             groups_do_not_divide_oc, window_too_large,       everything_cropped};

/// Makes a legal case illegal, in exactly one way that its line can express. Every implementation must refuse it.
void make_illegal(Case& c, Random& random) {
  c.before = {};  // they would be illegal as well
  const convict_problem p = resolve(c).problem;
  const auto first = random.below(std::size(kSpoils));
  const auto axis = static_cast<int>(random.below(c.rank));
  for (size_t i = 0; i < std::size(kSpoils); ++i)  // one always works: groups have no condition
    if (kSpoils[(static_cast<size_t>(first) + i) % std::size(kSpoils)](c, p, random, axis)) return;
}

}  // namespace

const Share* share_of(const Sampling& sampling, uint64_t index) {
  int all = 0;
  for (const Share& share : sampling.shares) all += share.parts;
  if (all == 0) return nullptr;
  auto left = static_cast<int64_t>(index / 2 % static_cast<uint64_t>(all));  // by pairs, of which one has a wish
  const Share* share = sampling.shares.data();
  while ((left -= share->parts) >= 0) ++share;
  return share;
}

Case generate(const Sampling& sampling, uint64_t index, uint32_t draw_number) {
  static const Domain kWhole;
  // Each draw has a mask of its own, which may contradict the domain; but the threads are those of the block.
  const uint64_t seed = draw_number == 0 ? sampling.seed : mix(sampling.seed ^ (0x64726177ull << 20) ^ draw_number);
  Random random(seed, index);
  const double at = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  const Profile& profile = sampling.profile ? *sampling.profile : profile_of_all(at);
  const bool illegal = random.chance(std::max(profile.invalid, sampling.illegal)) && draw_number == 0;
  Case c;
  if (profile.sampler != Sampler::kSteered) {
    c = draw_special(profile, random);
  } else {
    const Share* share = share_of(sampling, index);
    const Domain& domain = share ? share->domain : kWhole;
    Plan mask = mask_of_block(profile, seed, index / kBlock);
    if (draw_number > 0) mask.threads = mask_of_block(profile, sampling.seed, index / kBlock).threads;
    domain.confine(mask, random);
    std::optional<Tuple> wish;
    if (index % 2 != 0 && !illegal) {
      if (share && sampling.focus.empty() && draw_number < kDrawsOfRarePair) wish = rare_wish(sampling, *share, index);
      if (!wish && draw_number < kWishedDraws) wish = wish_for(sampling, domain, mask, index / 2 + draw_number);
    }
    c = wish ? draw_wished(profile, mask, domain, *wish, random) : draw(profile, mask, random);
  }
  if (illegal) make_illegal(c, random);
  return c;
}

Case generate_planned(const Profile& profile, const Plan& plan, uint64_t seed, uint64_t index) {
  Random random(mix(seed ^ 0x706c616e), index);
  return draw(profile, plan, random);
}

Case generate(const Profile* profile, uint64_t seed, uint64_t index) {
  return generate(Sampling{.profile = profile, .seed = seed}, index);
}

Case generate_wished(const Profile& profile, const Tuple& wish, uint64_t seed, uint64_t index) {
  Random random(mix(seed ^ 0x77697368), index);
  return draw_wished(profile, {}, {}, wish, random);
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

// SPDX-License-Identifier: Apache-2.0
#include "generate/sampling.h"

#include <algorithm>

#include "generate/plan.h"

namespace convict::generate {

const Share* share_of(const Sampling& sampling, uint64_t index) {
  int all = 0;
  for (const Share& share : sampling.shares) all += share.parts;
  if (all == 0) return nullptr;
  auto left = static_cast<int64_t>(index / 2 % static_cast<uint64_t>(all));  // by pairs, of which one has a wish
  const Share* share = sampling.shares.data();
  while ((left -= share->parts) >= 0) ++share;
  return share;
}

Opening open(const Sampling& sampling, uint64_t seed, uint64_t index) {
  Random random(seed, index);
  const Profile profile = drawn_profile(sampling.profile, random, random);
  const bool is_illegal = random.chance(std::max(profile.invalid, sampling.illegal));
  return {random, profile, is_illegal};
}

std::optional<Tuple> wish_for(const Sampling& sampling, const Domain& domain, int64_t threads, uint64_t number) {
  constexpr uint64_t kFarAway = 7919;
  const uint64_t tries = domain.is_whole() || domain.takes_all ? 8 : 500;
  std::optional<Tuple> wish;
  for (uint64_t i = 0; i < tries; ++i) {
    const Tuple next = wish_of(sampling.focus, sampling.seed, number + i * kFarAway);
    if (!domain.contains(next)) continue;
    wish = next;
    const auto end = next.feature + next.size, at = std::find(next.feature, end, feature::kThreads);
    if (at == end || levels::kThreadCounts[next.level[at - next.feature]].contain(threads)) break;
  }
  return wish;
}

uint64_t wish_number(const Sampling& sampling, const Share& share, uint64_t index) {
  uint64_t all = 0, before = 0;  // parts
  for (const Share& one : sampling.shares) {
    all += static_cast<uint64_t>(one.parts);
    if (&one < &share) before += static_cast<uint64_t>(one.parts);
  }
  const uint64_t pair = index / 2;  // of indices, of which one has a wish
  return pair / all * static_cast<uint64_t>(share.parts) + pair % all - before;
}

}  // namespace convict::generate

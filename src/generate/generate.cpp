// SPDX-License-Identifier: Apache-2.0
#include "generate/generate.h"

#include <optional>

#include "core/random.h"
#include "generate/draft.h"
#include "generate/draw.h"
#include "generate/plan.h"
#include "generate/walk.h"

namespace convict::generate {
namespace {

constexpr uint64_t kSmallPlaces = 1000;  // at first: most faults need no large case, and somebody waits for a verdict
constexpr uint32_t kWishedDraws = 4;  // for one place; after so many refusals of its target, a wish is given up

/// Another draw for the place than those before.
Case draw_again(const Sampling& sampling, uint64_t index, uint32_t draw_number) {
  static const Domain kWhole;
  // Each draw has a mask of its own, which may contradict the domain; but the threads are those of the block.
  const uint64_t seed = draw_number == 0 ? sampling.seed : mix(sampling.seed ^ (0x64726177ull << 20) ^ draw_number);
  auto [random, profile, illegal] = open(sampling, seed, index);
  illegal &= draw_number == 0;
  Case c;
  if (profile.sampler != Sampler::kSteered) {
    c = draw_special(profile, random);
  } else {
    const Share* share = share_of(sampling, index);
    if (index < kSmallPlaces) profile = with_small_sizes(profile);
    Plan mask = mask_of_block(profile, seed, index / kBlock);
    if (draw_number > 0) mask.threads = mask_of_block(profile, sampling.seed, index / kBlock).threads;
    std::optional<Tuple> wish;
    if (index % 2 != 0 && !illegal && draw_number < kWishedDraws)
      wish = wish_for(sampling, share ? share->domain : kWhole, mask.threads, index / 2 + draw_number);
    c = wish ? draw_wished(profile, mask, *wish, random) : draw(profile, mask, random);
  }
  if (illegal) make_illegal(c, random);
  return c;
}

/// A walk from an accepted case.
Case walk(const Sampling& sampling, const Share& share, uint64_t index, uint32_t answers) {
  if (auto [random, profile, illegal] = open(sampling, sampling.seed, index); illegal) {
    Case c = made(sampling.profile, random.pick(std::span(share.domain.starts)), share.domain.examples);
    make_illegal(c, random);
    return c;
  }
  Walk walk(sampling, share, index);
  while (!walk.is_over()) {
    if ((answers & kAsked << walk.step()) != 0) return walk.asks();
    walk.answer((answers >> walk.step() & 1) != 0);
  }
  return walk.found();
}

}  // namespace

Case generate(const Sampling& sampling, uint64_t index, uint32_t answers) {
  const Share* share = share_of(sampling, index);
  return share && share->domain.is_walked() ? walk(sampling, *share, index, answers)
                                            : draw_again(sampling, index, answers);
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
  const Profile chosen = drawn_profile(profile, random, random);
  Case c = chosen.sampler == Sampler::kSteered ? draw(chosen, mask_of_block(chosen, seed, index / kBlock), random)
                                               : draw_special(chosen, random);
  make_illegal(c, random);
  return c;
}

}  // namespace convict::generate

// SPDX-License-Identifier: Apache-2.0
#include "generate/reach.h"

#include <algorithm>

#include "core/geometry.h"

namespace convict::generate {
namespace {

constexpr uint64_t kCasesToSteer = 10'000;  // before that, nearly everything is still to be seen
constexpr size_t kLargestFocus = 20'000;
// Every second case aims at the focus, again and again: at fewer combinations than this, the cases would be too much
// alike. Without a focus, some 600,000 cases aim at each combination once anyway.
constexpr size_t kSmallestFocus = 1'000;

constexpr uint64_t kSeed = 0x7265616368;  // a fixed seed of its own

void mark(Coverage& seen, const Case& c) {
  const Resolved resolved = resolve(c);
  if (!resolved.why_not) seen.add(levels_of(c, resolved.problem));
}

/// Those that mix others alternate between two profiles: the small one has no large sizes, the other no empty ones.
const Profile& to_ask(const Profile* profile, int attempt) {
  if (profile && profile->sampler != Sampler::kMixed) return *profile;
  return *find_profile(attempt % 2 == 0 ? "odd-stride" : "degenerate");
}

/// Draws cases for a tuple until one shows it, `tries` at most.
void ask_for(uint32_t id, const Profile* profile, int tries, Coverage& seen) {
  const Tuple tuple = tuple_of(id);
  for (int i = 0; i < tries && !seen.has_seen(id); ++i)
    mark(seen, generate_wished(to_ask(profile, i), tuple, kSeed + 1, id * uint64_t{64} + static_cast<uint64_t>(i)));
}

/// A tuple of three cannot be shown if a pair in it cannot; all pairs were asked for before.
bool has_its_pairs(uint32_t id, const Coverage& seen) {
  const Tuple tuple = tuple_of(id);
  if (tuple.size < 3) return true;
  for (int left_out = 0; left_out < tuple.size; ++left_out) {
    Tuple pair;
    for (int i = 0; i < tuple.size; ++i) {
      if (i == left_out) continue;
      pair.feature[pair.size] = tuple.feature[i];
      pair.level[pair.size++] = tuple.level[i];
    }
    if (!seen.has_seen(id_of(pair))) return false;
  }
  return true;
}

}  // namespace

std::vector<uint32_t> within_reach(const Profile* profile, std::span<const uint32_t> ids, size_t most) {
  constexpr size_t kMostAsked = 40'000;
  std::vector<uint32_t> found;
  if (!is_steered(profile)) return found;
  Coverage seen;
  for (const uint32_t id : ids.first(std::min(ids.size(), kMostAsked))) {
    if (found.size() == most) break;
    ask_for(id, profile, 2, seen);
    if (seen.has_seen(id)) found.push_back(id);
  }
  return found;
}

std::vector<bool> reachable(const Profile* profile, int tries, uint64_t plain) {
  Coverage seen;
  for (uint64_t i = 0; i < plain; ++i) mark(seen, generate(profile, kSeed, i));
  seen.take_news();
  for (uint32_t id = 0; is_steered(profile) && id < tuple_count(); ++id)
    if (!seen.has_seen(id) && has_its_pairs(id, seen)) ask_for(id, profile, tries, seen);
  std::vector<bool> flags(tuple_count());
  for (uint32_t id = 0; id < tuple_count(); ++id) flags[id] = seen.has_seen(id);
  return flags;
}

std::vector<uint32_t> focus_for(const Profile* profile, const Coverage& coverage, std::span<const Share> shares) {
  if (coverage.cases() < kCasesToSteer) return {};
  std::vector<uint32_t> unseen = coverage.unseen();
  const auto is_outside = [&](uint32_t id) {
    const Tuple tuple = tuple_of(id);
    return !shares.empty() &&
           std::ranges::none_of(shares, [&](const Share& share) { return share.domain.contains(tuple); });
  };
  std::erase_if(unseen, is_outside);
  std::vector<uint32_t> focus = within_reach(profile, unseen, kLargestFocus);
  if (focus.size() < kSmallestFocus) focus.clear();
  return focus;
}

}  // namespace convict::generate

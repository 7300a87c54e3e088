// SPDX-License-Identifier: Apache-2.0
//
// Wishes, masks, and what both are for: covering tuples, and making rare conjunctions frequent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/case_text.h"
#include "core/geometry.h"
#include "generate/generate.h"
#include "generate/plan.h"
#include "generate/reach.h"
#include "tests/generate/triggers.h"

namespace convict {
namespace {

bool shows(const Case& c, const Tuple& wish) {
  const Resolved resolved = resolve(c);
  if (resolved.why_not) return false;
  const Levels levels = levels_of(c, resolved.problem);
  for (int i = 0; i < wish.size; ++i)
    if (levels[wish.feature[i]] != wish.level[i]) return false;
  return true;
}

TEST(Steering, WishesArePermutedTuples) {
  std::vector<bool> wished(tuple_count());
  for (uint64_t i = 0; i < tuple_count(); ++i) wished[id_of(generate::wish_of({}, 9, i))] = true;
  EXPECT_EQ(std::ranges::count(wished, true), tuple_count());
  EXPECT_NE(id_of(generate::wish_of({}, 9, 0)), id_of(generate::wish_of({}, 10, 0)));
  const std::vector<uint32_t> focus = {5, 77, 123'456};
  for (uint64_t i = 0; i < 9; ++i) EXPECT_EQ(id_of(generate::wish_of(focus, 9, i)), focus[i % 3]);
}

TEST(Steering, EverySecondCaseShowsItsWishOfTheFocus) {
  const std::vector<bool> can = generate::reachable(generate::find_profile("smoke"), 4, 20'000);
  std::vector<uint32_t> focus;
  for (uint32_t id = 1; id < tuple_count(); id += 97)
    if (can[id]) focus.push_back(id);
  for (const char* name : {"smoke", "odd-stride"}) {
    const generate::Sampling sampling{.profile = generate::find_profile(name), .seed = 3, .focus = focus};
    int met = 0, plain = 0;
    for (uint64_t i = 0; i < 4'000; ++i) {
      const Tuple wish = tuple_of(focus[i % focus.size()]);
      met += shows(generate::generate(sampling, 2 * i + 1), wish);
      plain += shows(generate::generate(sampling, 2 * i), wish);
    }
    EXPECT_GT(met, 4'000 * 0.9) << name;    // 2 % are illegal
    EXPECT_LT(plain, 4'000 * 0.1) << name;  // what comes without a wish
  }
}

TEST(Steering, AFocusOnlyChangesCasesOfOddIndex) {
  const std::vector<uint32_t> focus = {200'000};
  int changed = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    const bool same = generate::generate({.seed = 8, .focus = focus}, i) == generate::generate({.seed = 8}, i);
    EXPECT_TRUE(same || i % 2 != 0);
    changed += !same;
  }
  EXPECT_GT(changed, 150);
}

/// Coverage of three-way tuples after 100,000 cases, and of the baseline.
TEST(Steering, CoversTheReachableTuples) {
  for (const char* name : {"all", "smoke"}) {
    const generate::Profile* profile = generate::find_profile(name);
    const std::vector<bool> can = generate::reachable(profile);
    const auto reachable_count = static_cast<double>(std::ranges::count(can, true));
    EXPECT_GT(reachable_count, 0.9 * tuple_count()) << name;
    std::map<std::string, double> covered;
    for (const generate::Profile* one : {profile, generate::find_profile("uniform")}) {
      Coverage coverage;
      for (uint64_t i = 0; i < 100'000; ++i) {
        const Case c = generate::generate(one, 1, i);
        const Resolved resolved = resolve(c);
        if (!resolved.why_not) coverage.add(levels_of(c, resolved.problem));
        if (i + 1 != 1'000 && i + 1 != 10'000 && i + 1 != 100'000) continue;
        int hits = 0;
        for (uint32_t id = 0; id < tuple_count(); ++id) hits += can[id] && coverage.has_seen(id);
        const double percent = 100 * hits / reachable_count;
        covered[one == profile ? "steered" : "uniform"] = percent;
        fmt::print("{:8} {:8} {:7} cases: {:5.1f} % of {} reachable tuples, {:.3f} unseen expected in the next\n", name,
                   one == profile ? "" : "(uniform)", i + 1, percent, reachable_count, coverage.expected_unseen());
      }
    }
    EXPECT_GT(covered["steered"], 97) << name;
    EXPECT_LT(covered["uniform"], 60) << name;
  }
}

TEST(Steering, PairsThatExcludeEachOtherAreNotReachable) {
  using namespace feature;
  const std::vector<bool> can = generate::reachable(nullptr, 2, 5'000);
  const auto pair = [&](FeatureId a, int level_a, FeatureId b, int level_b) {
    return can[id_of({2, {a, b}, {static_cast<uint8_t>(level_a), static_cast<uint8_t>(level_b)}})];
  };
  EXPECT_FALSE(pair(kOp, 0, kOutputPadding, levels::kAllAxes));
  EXPECT_FALSE(pair(kPass, 1, kBias, 1));
  EXPECT_FALSE(pair(kOutLast, 0, kOutParity, levels::kEven));
  EXPECT_TRUE(pair(kOp, 1, kOutputPadding, levels::kAllAxes));
  EXPECT_TRUE(pair(kKernelLast, 6, kRemainder, levels::kFromDilation));
}

TEST(Swarm, CasesOfABlockShareAMask) {
  int off_everywhere = 0, one_kernel = 0;
  for (uint64_t block = 0; block < 400; ++block) {
    std::set<int64_t> kernels;
    bool any_groups = false;
    for (uint64_t i = 0; i < generate::kBlock; i += 2) {  // the even ones: without a wish
      const Case c = generate::generate(generate::find_profile("smoke"), 2, block * generate::kBlock + i);
      any_groups |= c.groups > 1;
      kernels.insert(c.kernel[c.rank - 1]);
    }
    off_everywhere += !any_groups;
    one_kernel += kernels.size() == 1;
  }
  EXPECT_GT(off_everywhere, 80);  // by chance alone 0.6^16 of 400: none
  EXPECT_GT(one_kernel, 5);       // by chance none, too
  const generate::Profile& smoke = *generate::find_profile("smoke");
  const generate::Plan a = generate::mask_of_block(smoke, 1, 0), again = generate::mask_of_block(smoke, 1, 0);
  for (const Feature& feature : features()) EXPECT_EQ(a[feature.id], again[feature.id]);
}

struct Hits {
  int count = 0;
  uint64_t first = 0;
};

std::map<std::string, Hits> count_triggers(const generate::Profile* profile, uint64_t seed) {
  std::map<std::string, Hits> hits;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const Case c = generate::generate(profile, seed, i);
    const Resolved resolved = resolve(c);
    if (resolved.why_not) continue;
    for (const Trigger& trigger : kTriggers) {
      if (!trigger.met(c, resolved.problem)) continue;
      Hits& one = hits[trigger.name];
      if (one.count++ == 0) one.first = i;
    }
  }
  return hits;
}

/// What the generator is for. The floors fail without masks and wishes: the uniform baseline, which has neither, is
/// held against the same ones.
TEST(Conjunctions, AreFrequentEnough) {
  fmt::print("{:4} {:>6} {:>6} {:>8} {}\n", "", "cases", "first", "uniform", "of 20,000 that meet");
  std::map<std::string, Hits> all[3], uniform = count_triggers(generate::find_profile("uniform"), 1);
  for (uint64_t seed = 0; seed < 3; ++seed) all[seed] = count_triggers(nullptr, seed + 1);
  int baseline_below = 0, invented_missed = 0;
  for (const Trigger& trigger : kTriggers) {
    const std::string name = trigger.name;
    fmt::print("{:4} {:6} {:6} {:8} {}\n", name, all[0][name].count, all[0][name].first, uniform[name].count,
               trigger.conditions);
    const bool is_public = name[0] == 'P';
    baseline_below += uniform[name].count < (is_public ? 15 : 1);
    for (auto& hits : all) {
      EXPECT_TRUE(!is_public || hits[name].count >= 15) << name << ": " << hits[name].count;
      if (!is_public) invented_missed += hits[name].count == 0;
    }
  }
  EXPECT_LE(invented_missed, 5);  // of 30: each of these comes several times in 20,000 cases, or a few thousand later
  EXPECT_GE(baseline_below, 5);
}

}  // namespace
}  // namespace convict

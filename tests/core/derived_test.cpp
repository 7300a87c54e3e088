// SPDX-License-Identifier: Apache-2.0
#include "core/derived.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/case_text.h"
#include "core/features.h"
#include "core/geometry.h"
#include "core/predicate.h"
#include "generate/generate.h"

namespace convict {
namespace {

/// The two tables and the predicates mean the same numbers.
TEST(Derived, PairsAreWhatPredicatesSay) {
  for (uint64_t i = 0; i < 2'000; ++i) {
    const Case c = generate::generate(nullptr, 4, i);
    const Resolved resolved = resolve(c);
    if (resolved.why_not) continue;
    for (const ComparedPair& pair : compared_pairs()) {
      const auto holds = [&](const char* comparator) {
        return Predicate::parse(std::string(pair.left) + comparator + std::string(pair.right))
            .holds(c, resolved.problem);
      };
      const Ordering order = pair.order(c, resolved.problem);
      ASSERT_EQ(holds(" > "), order == Ordering::kAbove) << pair.left << ' ' << pair.right << ' ' << to_text(c);
      const bool equal_or_above = holds(" >= ");  // on some axis
      ASSERT_EQ(equal_or_above, order != Ordering::kBelow) << pair.left << ' ' << pair.right << ' ' << to_text(c);
    }
  }
}

TEST(Derived, TotalsOfSameHaveASign) {
  const auto total = [](const char* line) { return same_total(parse_case(line), 0); };
  EXPECT_EQ(total("conv1d in=9 k=3"), 2);
  EXPECT_EQ(total("conv1d in=8 k=1 s=4"), -3);
  EXPECT_EQ(total("conv_transpose1d in=8 k=3 s=5"), -2);
  for (const char* line : {"conv1d in=9 k=4 s=2 p=same_upper", "conv_transpose1d in=9 k=4 d=2 s=3 p=same_lower"}) {
    const convict_problem p = resolve_valid(parse_case(line));
    EXPECT_EQ(p.pad_begin[0] + p.pad_end[0], total(line)) << line;
  }
}

/// The positions that a tap of a window reaches, found by trying all.
std::set<int64_t> reached_by_taps(const convict_problem& p, int axis, int64_t positions, int64_t windows) {
  std::set<int64_t> reached;
  for (int64_t window = 0; window < windows; ++window)
    for (int64_t tap = 0; tap < p.kernel[axis]; ++tap)
      if (const int64_t at = window * p.stride[axis] + tap * p.dilation[axis] - p.pad_begin[axis];
          at >= 0 && at < positions)
        reached.insert(at);
  return reached;
}

int64_t without_a_tap(const convict_problem& p, int axis, int64_t positions, int64_t windows) {
  int64_t count = 0;
  for (int64_t window = 0; window < windows; ++window) {
    bool any = false;
    for (int64_t tap = 0; tap < p.kernel[axis]; ++tap) {
      const int64_t at = window * p.stride[axis] + tap * p.dilation[axis] - p.pad_begin[axis];
      any |= at >= 0 && at < positions;
    }
    count += any ? 0 : 1;
  }
  return count;
}

TEST(Derived, PositionsThatNoTapReaches) {
  EXPECT_EQ(unreached(resolve_valid(parse_case("conv1d in=8 k=2 s=3")), 0), 2);
  EXPECT_EQ(unreached(resolve_valid(parse_case("conv1d in=5 k=3 d=2")), 0), 2);
  EXPECT_EQ(unreached(resolve_valid(parse_case("conv_transpose1d in=3 k=2 s=2 op=1")), 0), 1);
  const auto value = [](const char* name, const Case& c, const convict_problem& p, int axis) {
    return std::ranges::find(derived_numbers(), name, &DerivedNumber::name)->value(c, p, axis);
  };
  int64_t some = 0, some_idle = 0;
  for (uint64_t i = 0; i < 5'000; ++i) {
    const Case c = generate::generate(nullptr, 7, i);
    const Resolved resolved = resolve(c);
    if (resolved.why_not) continue;
    const convict_problem& p = resolved.problem;
    for (int axis = 0; axis < p.rank; ++axis) {
      const bool is_conv = p.op == CONVICT_CONV;
      const int64_t positions = is_conv ? p.in[axis] : p.out[axis];
      const int64_t windows = is_conv ? p.out[axis] : p.in[axis];
      const std::set<int64_t> reached = reached_by_taps(p, axis, positions, windows);
      const int64_t expected = positions - std::ssize(reached);
      ASSERT_EQ(unreached(p, axis), expected) << to_text(c);
      ASSERT_EQ(value("unreached", c, p, axis), expected) << to_text(c);
      ASSERT_EQ(value("unreached.begin", c, p, axis), reached.empty() ? positions : *reached.begin()) << to_text(c);
      ASSERT_EQ(value("unreached.end", c, p, axis), reached.empty() ? positions : positions - 1 - *reached.rbegin())
          << to_text(c);
      some += expected > 0;
      const int64_t idle = without_a_tap(p, axis, positions, windows);
      ASSERT_EQ(value("idle", c, p, axis), idle) << to_text(c);
      some_idle += idle > 0;
    }
  }
  EXPECT_GT(some, 500);
  EXPECT_GT(some_idle, 100);
}

TEST(Derived, LevelsOfRelations) {
  using namespace feature;
  struct Expected {
    const char* line;
    FeatureId id;
    int level;
  };
  for (const Expected& one :
       std::initializer_list<Expected>{{"conv2d in=9x2 k=3 p=1", kWindowToInput, levels::kOrderAbove},
                                       {"conv2d in=9x3 k=3", kWindowToInput, levels::kOrderEqual},
                                       {"conv2d in=9 k=3", kWindowToInput, levels::kOrderBelow},
                                       {"conv1d in=9 k=3 p=1", kOutputToInput, levels::kOrderEqual},
                                       {"conv2d ic=4 oc=3 in=5", kChannelsToChannels, levels::kOrderAbove},
                                       {"conv2d in=9 k=4 s=2", kMultiple, levels::kMultipleOfStride},
                                       {"conv2d in=9 k=4x5 s=2", kMultiple, levels::kNoMultiple},
                                       {"conv2d in=9 k=4", kMultiple, levels::kStrideOne},
                                       {"conv1d in=8 k=1 s=4", kSameTotal, levels::kBelowZero},
                                       {"conv1d in=8 k=4", kSameTotal, levels::kOddTotal},
                                       {"conv2d in=8x9", kAxisOrder, levels::kAxesRising},
                                       {"conv3d in=8x9x7", kAxisOrder, levels::kAxesFalling}}) {
    const Case c = parse_case(one.line);
    EXPECT_EQ(levels_of(c, resolve_valid(c))[one.id], one.level) << one.line << ' ' << features()[one.id].name;
  }
}

}  // namespace
}  // namespace convict

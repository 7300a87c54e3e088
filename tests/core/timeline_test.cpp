// SPDX-License-Identifier: Apache-2.0
#include "core/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace convict {
namespace {

Timeline of_seconds(int first, int last, Timeline timeline = {}) {
  for (int second = first; second <= last; ++second)
    timeline.add({static_cast<double>(second), static_cast<uint64_t>(10 * second), 0, 0});
  return timeline;
}

TEST(Timeline, KeepsEverySecondAtFirst) {
  const Timeline timeline = of_seconds(0, 200);
  ASSERT_EQ(timeline.moments().size(), 201u);
  for (size_t i = 0; i <= 200; ++i) EXPECT_EQ(timeline.moments()[i].seconds, i);
}

TEST(Timeline, KeepsTheLastMomentOfAnInterval) {
  Timeline timeline;
  for (const double seconds : {0.0, 0.25, 0.5, 1.0, 1.5, 1.75}) timeline.add({seconds, 0, 0, 0});
  const std::vector<Moment> expected = {{0, 0, 0, 0}, {1, 0, 0, 0}, {1.75, 0, 0, 0}};
  EXPECT_EQ(timeline.moments(), expected);
}

TEST(Timeline, IsBoundedAndEvenWhateverItsLength) {
  for (const int last : {201, 399, 400, 401, 5000, 100'000}) {
    const std::vector<Moment> moments = of_seconds(0, last).moments();
    EXPECT_LE(moments.size(), Timeline::kMostIntervals + 1) << last;
    EXPECT_GT(moments.size(), Timeline::kMostIntervals / 2) << last;
    EXPECT_EQ(moments.front().seconds, 0) << last;
    EXPECT_EQ(moments.back(), (Moment{static_cast<double>(last), static_cast<uint64_t>(10 * last), 0, 0}));
    double shortest = last, longest = 0;
    for (size_t i = 1; i + 1 < moments.size(); ++i) {
      shortest = std::min(shortest, moments[i].seconds - moments[i - 1].seconds);
      longest = std::max(longest, moments[i].seconds - moments[i - 1].seconds);
    }
    EXPECT_EQ(shortest, longest) << last;
  }
}

TEST(Timeline, GoesOnAsIfItHadNotStopped) {
  const Timeline before = of_seconds(0, 777);
  EXPECT_EQ(of_seconds(778, 3000, Timeline(before.moments())).moments(), of_seconds(0, 3000).moments());
}

}  // namespace
}  // namespace convict

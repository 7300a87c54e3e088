// SPDX-License-Identifier: Apache-2.0
//
// How measurements are repeated, with made-up times: no clock decides anything here.
#include "lab/bench/timing.h"

#include <gtest/gtest.h>

namespace convict {
namespace {

/// Something whose calls "take" what a function of their number says.
struct Fake {
  std::function<std::optional<double>(int)> cost;
  int calls = 0, begun = 0, ended = 0;

  bench::Timed timed(double first_seconds) {
    return {[this] { return ++begun > 0; }, [this] { return ++ended > 0; }, [this] { return cost(calls++); },
            first_seconds};
  }
};

TEST(BenchTiming, RepeatsUntilThereIsEnoughTime) {
  Fake fake{[](int) { return 0.001; }};
  const auto timings = bench::time_interleaved({fake.timed(0.001)}, 0.05, 3);
  ASSERT_TRUE(timings[0]);
  EXPECT_DOUBLE_EQ(timings[0]->best, 0.001);
  EXPECT_GE(fake.calls, 150);
  EXPECT_GE(fake.begun, 3);
  EXPECT_EQ(fake.begun, fake.ended);
}

TEST(BenchTiming, TheBestCallCountsAndTheMeanIsKept) {
  Fake fake{[](int call) { return call % 100 == 50 ? 0.001 : 0.002; }};  // the machine is quiet for once
  const auto timings = bench::time_interleaved({fake.timed(0.002)}, 0.2, 3);
  ASSERT_TRUE(timings[0]);
  EXPECT_DOUBLE_EQ(timings[0]->best, 0.001);
  EXPECT_NEAR(timings[0]->mean, 0.002, 5e-5);
}

TEST(BenchTiming, WhatIsSlowIsCalledOnce) {
  Fake fake{[](int) { return 3.0; }};
  const auto timings = bench::time_interleaved({fake.timed(3)}, 0.2, 3);
  ASSERT_TRUE(timings[0]);
  EXPECT_DOUBLE_EQ(timings[0]->best, 3);
  EXPECT_EQ(fake.calls, 1);
}

TEST(BenchTiming, AFailureCostsItsOwnTimesOnly) {
  Fake good{[](int) { return 0.01; }}, at_once{[](int) { return std::nullopt; }},
      later{[](int call) { return call > 5 ? std::nullopt : std::optional(0.01); }};
  const auto timings = bench::time_interleaved({at_once.timed(0.01), good.timed(0.01), later.timed(0.01)}, 0.1, 2);
  EXPECT_FALSE(timings[0]);
  EXPECT_TRUE(timings[1]);
  EXPECT_FALSE(timings[2]);
}

TEST(BenchTiming, NothingToTimeIsFine) { EXPECT_TRUE(bench::time_interleaved({}, 0.1, 1).empty()); }

/// The order is drawn, so one run may be in order by chance, but hardly all of them.
TEST(BenchTiming, RepetitionsOfDifferentThingsAreInterleaved) {
  bool interleaved = false;
  for (int attempt = 0; attempt < 20 && !interleaved; ++attempt) {
    std::string order;
    const auto one = [&](char name) {
      return bench::Timed{[&order, name] {
                            order += name;
                            return true;
                          },
                          [] { return true; }, [] { return std::optional(0.01); }, 0.01};
    };
    bench::time_interleaved({one('a'), one('b')}, 0.01, 4);
    interleaved = order.find("ab") != std::string::npos && order.find("ba") != std::string::npos;
  }
  EXPECT_TRUE(interleaved);
}

}  // namespace
}  // namespace convict

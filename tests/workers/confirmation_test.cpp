// SPDX-License-Identifier: Apache-2.0
#include "workers/confirmation.h"

#include <gtest/gtest.h>

namespace convict {
namespace {

using workers::times_that_show;

TEST(Confirmation, HowRareACallFailsSaysHowManyShowIt) {
  EXPECT_EQ(times_that_show(10, 1, {4096, 13, 200}), 1449);  // 99 % of so many calls, if one in 315 fails
  EXPECT_EQ(times_that_show(10, 3, {16, 2, 9}), 35);
  EXPECT_EQ(times_that_show(1, 1, {4096, 7, 4000}), 4000);  // not fewer than were needed
}

/// One process of ten failed, and then a busy machine had time for so few calls that none of them did.
TEST(Confirmation, WhatIsRareSaysSoHoweverFewCallsThereWasTimeFor) {
  for (const int64_t made : {17, 100, 500, 4000}) {
    const auto times = times_that_show(10, 1, {made, 0, 0});
    ASSERT_TRUE(times) << made;
    EXPECT_GT(*times, 4 * made) << made;  // rarer than one in `made`
  }
}

TEST(Confirmation, WhereTheProcessDecidesNoNumberOfCallsHelps) {
  EXPECT_EQ(times_that_show(10, 7, {4096, 0, 0}), std::nullopt);
  EXPECT_EQ(times_that_show(10, 7, {100, 0, 0}), std::nullopt);
  EXPECT_EQ(times_that_show(10, 1, {4096, 0, 0}), std::nullopt);
  EXPECT_EQ(times_that_show(10, 7, {16, 16, 1}), std::nullopt);
  EXPECT_EQ(times_that_show(10, 1, {0, 0, 0}), std::nullopt);  // interrupted
}

}  // namespace
}  // namespace convict

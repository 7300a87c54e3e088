// SPDX-License-Identifier: Apache-2.0
#include "kernels/work/team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace convict::kernels {
namespace {

TEST(Team, SharesEveryItemOnceRoundAfterRound) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> visits(40);
    std::atomic<int> early = 0;
    work::Team::run(threads, [&](work::Team& team, int) {
      for (int round = 1; round <= 50; ++round) {
        team.share(static_cast<int64_t>(visits.size()), [&](int64_t item) { ++visits[item]; });
        for (const std::atomic<int>& count : visits) early += count < round;  // share() waits for everybody
        team.share(0, [](int64_t) {});
      }
    });
    for (const std::atomic<int>& count : visits) EXPECT_EQ(count, 50) << threads << " threads";
    EXPECT_EQ(early, 0) << threads << " threads";
  }
}

TEST(Team, MembersBeginWithTheirOwnPart) {
  std::array<int64_t, 2> first = {-1, -1};
  std::latch both(2);
  work::Team::run(2, [&](work::Team& team, int number) {
    team.share(11, [&](int64_t item) {
      if (first[number] >= 0) return;
      first[number] = item;
      both.arrive_and_wait();  // so that neither has time for the other's part
    });
  });
  EXPECT_EQ(first, (std::array<int64_t, 2>{0, 6}));
}

TEST(Team, NumbersItsMembers) {
  std::vector<std::atomic<int>> seen(4);
  work::Team::run(4, [&](work::Team&, int number) { ++seen[number]; });
  for (const std::atomic<int>& count : seen) EXPECT_EQ(count, 1);
}

TEST(Team, IsThereForTheNextCallAndForOneThatComesMeanwhile) {
  std::atomic<int> visits = 0;
  const auto call = [&] {
    for (int i = 0; i < 200; ++i)
      work::Team::run(1 + i % 4, [&](work::Team& team, int) {
        team.share(10, [&](int64_t) { ++visits; });
        team.share(5, [&](int64_t) { ++visits; });
      });
  };
  std::thread other(call);
  call();
  other.join();
  EXPECT_EQ(visits, 2 * 200 * 15);
}

TEST(Team, ThreadsAreStartedForWorkOnly) {
  EXPECT_EQ(work::threads_for(8, 1000), 1);
  EXPECT_EQ(work::threads_for(8, 1e9), 8);
  EXPECT_EQ(work::threads_for(1, 1e9), 1);
}

}  // namespace
}  // namespace convict::kernels

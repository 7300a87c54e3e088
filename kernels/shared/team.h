// SPDX-License-Identifier: Apache-2.0
//
// Fork and join: the threads of one call, which live as long as the call. Threads that cannot be started are done
// without. Which thread does what is left to chance, so nothing that is computed may depend on it.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace convict {

class Team {
 public:
  explicit Team(int threads) : threads_(threads), barrier_(threads, Restart{this}) {}

  /// For members: calls visit(item) once for every item below `items`, on one member each, and returns when all are
  /// done. All members have to come by with the same number of items.
  template <class Visit>
  void share(int64_t items, const Visit& visit) {
    if (threads_ == 1) {
      for (int64_t item = 0; item < items; ++item) visit(item);
      return;
    }
    for (int64_t item; (item = next_.fetch_add(1, std::memory_order_relaxed)) < items;) visit(item);
    barrier_.arrive_and_wait();
  }

  /// Calls member(number) on every thread, the caller's being number 0, and returns when all have returned.
  template <class Member>
  static void run(int threads, const Member& member) {
    Team team(threads);
    std::vector<std::thread> others;
    others.reserve(static_cast<size_t>(threads) - 1);
    for (int number = 1; number < threads; ++number) try {
        others.emplace_back([&team, &member, number] { member(team, number); });
      } catch (const std::system_error&) {
        team.barrier_.arrive_and_drop();
      }
    member(team, 0);
    for (std::thread& other : others) other.join();
  }

 private:
  struct Restart {
    Team* team;
    void operator()() noexcept { team->next_.store(0, std::memory_order_relaxed); }
  };

  int threads_;
  std::atomic<int64_t> next_{0};
  std::barrier<Restart> barrier_;
};

/// Threads worth starting, of those asked for: each should have half a million products, some 20 microseconds.
inline int threads_for(int asked, double products) {
  constexpr double kLeast = 500'000;
  return static_cast<int>(std::clamp(products / kLeast, 1.0, static_cast<double>(asked)));
}

}  // namespace convict

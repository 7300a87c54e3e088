// SPDX-License-Identifier: Apache-2.0
//
// Fork and join: the threads of one call. They are started when they are first wanted and kept, asleep, for the next
// call, because starting one takes as long as a small layer. Those that cannot be started are done without. Which
// thread does what is in the end left to chance, so nothing that is computed may depend on it; but each begins with the
// same part of the items, call after call, because what it read and wrote the last time is in its core's cache.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace convict::kernels::work {

/// What the members of a team have in common.
struct TeamState {
  explicit TeamState(int size) : claims(static_cast<size_t>(size)) {}

  /// Items that are taken of a member's part; nobody else's is in the same cache line.
  struct alignas(64) Claims {
    std::atomic<int64_t> count{0};
  };
  std::vector<Claims> claims;  // by member
  std::atomic<int> arrived{0};
  std::atomic<uint32_t> meetings{0};
};

/// A team, as one of its members sees it.
class Team {
 public:
  /// Calls visit(item) once for every item below `items`, on one member each, and returns when all are done. All
  /// members have to come by with the same number of items. Each takes those of its own part, a run of them, and then
  /// what is left of the others'.
  template <class Visit>
  void share(int64_t items, const Visit& visit) {
    const auto size = static_cast<int>(state_.claims.size());
    if (size == 1) {
      for (int64_t item = 0; item < items; ++item) visit(item);
      return;
    }
    for (int i = 0; i < size; ++i) {
      const int owner = (number_ + i) % size;
      const int64_t first = first_of(owner, size, items), count = first_of(owner + 1, size, items) - first;
      std::atomic<int64_t>& claimed = state_.claims[static_cast<size_t>(owner)].count;
      for (int64_t item; (item = claimed.fetch_add(1, std::memory_order_relaxed)) < count;) visit(first + item);
    }
    meet();
  }

  /// Calls member(team, number) on so many threads or fewer, the caller's being number 0, and returns when all have
  /// returned. A call that meets another one at work, from a different thread, gets no further threads.
  static void run(int threads, const std::function<void(Team& team, int number)>& member);

 private:
  Team(TeamState& state, int number) : state_(state), number_(number) {}
  void meet();

  /// The first item of a member's part. One more is for those in front, because the caller is at work first.
  static int64_t first_of(int member, int size, int64_t items) { return (items * member + size - 1) / size; }

  TeamState& state_;
  int number_;
};

/// The thing to do as number `index` of `count`: one after the other from as many runs as there are threads. So those
/// that are computed at the same time lie far apart, because neighbours share cache lines of the result.
constexpr int64_t far_apart(int64_t index, int64_t count, int64_t threads) {
  const int64_t run = index % threads;
  return run * (count / threads) + std::min(run, count % threads) + index / threads;
}
static_assert(far_apart(0, 5, 2) == 0 && far_apart(1, 5, 2) == 3 && far_apart(2, 5, 2) == 1 && far_apart(4, 5, 2) == 2);

/// Threads worth using, of those asked for: each should have half a million products, some 10 microseconds.
inline int threads_for(int asked, double products) {
  constexpr double kLeast = 500'000;
  return static_cast<int>(std::clamp(products / kLeast, 1.0, static_cast<double>(asked)));
}

}  // namespace convict::kernels::work

// SPDX-License-Identifier: Apache-2.0
//
// Fork and join: the threads of one call. They are started when they are first needed. They are kept for the next call,
// because starting one takes as long as a small layer. If a thread cannot be started, the others do its work.
//
// Each thread begins with the same part of the items in every call, because what it read and wrote the last time is in
// its core's cache. Then it takes what others have left. Which thread computes an item is left to chance, so results
// must not depend on it: an item writes what no other item writes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace convict::kernels::work {

/// The state that the members of a team share.
struct TeamState {
  explicit TeamState(int size) : claims(static_cast<size_t>(size)) {}

  /// How many items of a member's part are taken. Each counter has a cache line of its own.
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
  /// Calls visit(item) once for every item below `items`, each on one member, and returns when all are done. All
  /// members have to call it with the same number of items. A member takes the items of its own part first, which
  /// follow each other, and then those left in the parts of others.
  template <class Visit>
  void share(int64_t items, const Visit& visit) {
    if (items == 0) return;
    const int size = state_ ? static_cast<int>(state_->claims.size()) : 1;
    if (size == 1) {
      for (int64_t item = 0; item < items; ++item) visit(item);
      return;
    }
    for (int i = 0; i < size; ++i) {
      const int owner = (number_ + i) % size;
      const int64_t first = first_of(owner, size, items), count = first_of(owner + 1, size, items) - first;
      std::atomic<int64_t>& claimed = state_->claims[static_cast<size_t>(owner)].count;
      for (int64_t item; (item = claimed.fetch_add(1, std::memory_order_relaxed)) < count;) visit(first + item);
    }
    meet();
  }

  /// A team of one, for what a member computes by itself.
  static Team alone() { return Team(nullptr, 0); }

  /// Calls member(team, number) on at most so many threads, and returns when all have returned. The caller is number 0.
  /// While a call is running, a call from a different thread gets no threads but its own.
  static void run(int threads, const std::function<void(Team& team, int number)>& member);

 private:
  Team(TeamState* state, int number) : state_(state), number_(number) {}
  void meet();

  /// The first item of a member's part. Parts differ by one item at most. The larger ones come first, because the
  /// caller, number 0, starts before the others.
  static int64_t first_of(int member, int size, int64_t items) { return (items * member + size - 1) / size; }

  TeamState* state_;  // nullptr: alone
  int number_;
};

/// The item to compute as number `index` of `count`: one from each of `threads` runs in turn. Items computed at the
/// same time lie far apart then. Neighbours would share cache lines of the result.
constexpr int64_t far_apart(int64_t index, int64_t count, int64_t threads) {
  const int64_t run = index % threads;
  return run * (count / threads) + std::min(run, count % threads) + index / threads;
}
static_assert(far_apart(0, 5, 2) == 0 && far_apart(1, 5, 2) == 3 && far_apart(2, 5, 2) == 1 && far_apart(4, 5, 2) == 2);

/// How many of the threads asked for are worth using: each should have half a million products, about 10 microseconds.
/// `elements` that are copied take time, too: each as long as 16 products. A kernel with many products for each leaves
/// them out.
inline int threads_for(int asked, double products, double elements = 0) {
  constexpr double kLeast = 500'000, kElement = 16;
  return static_cast<int>(std::clamp((products + elements * kElement) / kLeast, 1.0, static_cast<double>(asked)));
}

}  // namespace convict::kernels::work

// SPDX-License-Identifier: Apache-2.0
//
// Fork and join: the threads of one call. They are started when they are first wanted and kept, asleep, for the next
// call, because starting one takes as long as a small layer. Those that cannot be started are done without. Which
// thread does what is left to chance, so nothing that is computed may depend on it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

namespace convict {

class Team {
 public:
  /// For members: calls visit(item) once for every item below `items`, on one member each, and returns when all are
  /// done. All members have to come by with the same number of items.
  template <class Visit>
  void share(int64_t items, const Visit& visit) {
    if (size_ == 1) {
      for (int64_t item = 0; item < items; ++item) visit(item);
      return;
    }
    for (int64_t item; (item = next_.fetch_add(1, std::memory_order_relaxed)) < items;) visit(item);
    meet();
  }

  /// Calls member(team, number) on so many threads or fewer, the caller's being number 0, and returns when all have
  /// returned. A call that meets another one at work, from a different thread, gets no further threads.
  static void run(int threads, const std::function<void(Team& team, int number)>& member);

 private:
  explicit Team(int size) : size_(size) {}
  void meet();

  int size_;
  std::atomic<int64_t> next_{0};
  std::atomic<int> arrived_{0};
  std::atomic<uint32_t> meetings_{0};
};

/// Threads worth using, of those asked for: each should have half a million products, some 10 microseconds.
inline int threads_for(int asked, double products) {
  constexpr double kLeast = 500'000;
  return static_cast<int>(std::clamp(products / kLeast, 1.0, static_cast<double>(asked)));
}

}  // namespace convict

// SPDX-License-Identifier: Apache-2.0
//
// Work that no worker has yet.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "workers/messages.h"

namespace convict::workers {

// Work with the order for it, and parts of both.

struct Assigned {
  Work work;
  Order order;       // with the same numbers of cases
  size_t bytes = 0;  // of the order as a line, once it is sent
};

/// Where the case stands in the work.
inline uint64_t position_in(const Work& work, uint64_t index) { return (index - work.first) / work.step; }

/// Cases `begin` to `end` - 1 of a work, counted from its first one.
Work part_of(const Work& work, uint64_t begin, uint64_t end);
Assigned part_of(const Assigned& one, uint64_t begin, uint64_t end);

class Backlog {
 public:
  bool is_empty() const { return works_.empty(); }
  void put(Assigned work) { works_.push_back(std::move(work)); }
  /// Precondition: !is_empty().
  Assigned take() {
    Assigned first = std::move(works_.front());
    works_.pop_front();
    return first;
  }
  std::deque<Assigned> take_all() { return std::exchange(works_, {}); }

  /// Puts what is left of the work of a dead process before all other work. `left`: what it had, in front the work that
  /// it died of, on case `index`, after `reported` cases of it. A case that foreign processes have killed at most
  /// `most_kills` times comes again, and nothing is told of its death. Returns whether the death has to be told.
  bool put_again(std::deque<Assigned> left, uint64_t index, uint64_t reported, bool from_outside, int most_kills);

 private:
  std::deque<Assigned> works_;
  std::map<uint64_t, int> kills_;  // by foreign processes, by the index of the case
};

}  // namespace convict::workers

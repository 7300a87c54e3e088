// SPDX-License-Identifier: Apache-2.0
//
// Tasks that nobody waits for: each tells those who want to know, at its end.
#pragma once

#include <list>
#include <utility>

#include "core/task.h"

namespace convict::workers {

class Trials {
 public:
  void start(Task<void> trial) {
    trials_.push_back(std::move(trial));
    trials_.back().start();
  }
  bool empty() const { return trials_.empty(); }
  size_t size() const { return trials_.size(); }

  /// Throws what one of them has thrown.
  void drop_finished() {
    for (auto one = trials_.begin(); one != trials_.end();) {
      if (one->is_done()) {
        one->result();
        one = trials_.erase(one);
      } else {
        ++one;
      }
    }
  }
  void drop_all() { trials_.clear(); }

 private:
  std::list<Task<void>> trials_;
};

}  // namespace convict::workers

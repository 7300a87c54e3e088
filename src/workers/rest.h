// SPDX-License-Identifier: Apache-2.0
//
// Workers that rest while one call is measured: neighbours cost it time and memory.
#pragma once

#include <memory>
#include <vector>

#include "workers/worker_slot.h"

namespace convict::workers {

using Slots = std::vector<std::unique_ptr<WorkerSlot>>;

/// Whether time or memory is the charge, which neighbours may have caused.
constexpr bool is_of_cost(Verdict verdict) { return verdict == Verdict::kHang || verdict == Verdict::kOom; }

/// While this object lives, all workers rest.
class Rest {
 public:
  explicit Rest(const Slots& slots) : slots_(slots) {
    for (const auto& slot : slots_) slot->process().pause();
  }
  ~Rest() {
    for (const auto& slot : slots_) slot->process().go_on();
  }
  Rest(const Rest&) = delete;
  Rest& operator=(const Rest&) = delete;

 private:
  const Slots& slots_;
};

}  // namespace convict::workers

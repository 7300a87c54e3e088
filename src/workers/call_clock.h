// SPDX-License-Identifier: Apache-2.0
//
// The time that a call is charged with. Wall time convicts the innocent on a busy machine, and CPU time never ends for
// a deadlock. So: while a thread of the process runs or waits for a CPU, the CPU time it gets; while all of its threads
// sleep, or a signal has stopped them, wall time; while a debugger has, nothing. A terminal stops us as well.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "run/worker_process.h"

namespace convict::workers {

class CallClock {
 public:
  using Duration = std::chrono::nanoseconds;

  /// What the present call, or our own work between two calls, has been charged with since it was first seen.
  Duration charged(const run::WorkerProcess& process) {
    const State state = state_of(process.record());
    const auto now = Clock::now();
    if (state != state_) {
      state_ = state;
      looked_ = now;
      cpu_ = process.cpu_time();
      charged_ = {};
    } else if (now - looked_ >= kLeastGap) {
      charge(process, now);
    }
    return charged_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Duration kLeastGap = std::chrono::milliseconds(20);  // to look more often costs more than it tells
  // A longer gap between two looks is no evidence of sleep: whoever looks may have been stopped as well.
  static constexpr Duration kLongestGap = std::chrono::milliseconds(500);

  /// What distinguishes one call from the next.
  struct State {
    uint64_t index = 0;
    int32_t implementation = run::FlightRecord::kOwnCode;
    int64_t entered_ns = 0;
    bool operator==(const State&) const = default;
  };
  static State state_of(const run::FlightRecord& record) {
    return {record.index, record.implementation, record.entered_ns};
  }

  void charge(const run::WorkerProcess& process, Clock::time_point now) {
    const Duration wall = now - looked_, cpu = process.cpu_time() - cpu_;
    const bool sleeps = process.activity() == run::WorkerProcess::Activity::kSleeps;
    charged_ += sleeps && wall < kLongestGap ? wall : std::min(wall, cpu);
    looked_ = now;
    cpu_ += cpu;
  }

  State state_;
  Clock::time_point looked_ = Clock::now();
  Duration cpu_{0}, charged_{0};
};

}  // namespace convict::workers

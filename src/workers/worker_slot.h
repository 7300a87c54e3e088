// SPDX-License-Identifier: Apache-2.0
//
// One of the workers of a supervisor: its process, and the work it has been given.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "run/worker_process.h"
#include "workers/messages.h"

namespace convict::workers {

class WorkerSlot {
 public:
  /// Starts `program command` and sends it the settings.
  WorkerSlot(const WorkerSettings& settings, const std::string& program, const std::string& command)
      : process_({"convict", command}, program) {
    process_.send(to_line(settings));
  }

  run::WorkerProcess& process() { return process_; }
  const run::WorkerProcess& process() const { return process_; }
  std::deque<Work>& works() { return works_; }
  bool ready = false;
  bool sane = true;       // what it has sent so far were messages
  uint64_t reported = 0;  // cases of the work in front that on_reported has told of

  /// Since when the worker has shown no progress at all.
  std::chrono::steady_clock::time_point last_progress() {
    const auto state = std::pair(process_.record().index.load(), process_.record().implementation.load());
    if (state != last_state_) {
      last_state_ = state;
      last_progress_ = std::chrono::steady_clock::now();
    }
    return last_progress_;
  }

 private:
  run::WorkerProcess process_;
  std::deque<Work> works_;
  std::pair<uint64_t, int32_t> last_state_{0, run::FlightRecord::kOwnCode};
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
};

}  // namespace convict::workers

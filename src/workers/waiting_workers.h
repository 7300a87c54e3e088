// SPDX-License-Identifier: Apache-2.0
//
// Workers of supervisors that wait for another one: a campaign repeats an accusation in a process of its own, which may
// take seconds. Meanwhile somebody has to read what its workers send, because they stop when a pipe is full.
#pragma once

#include <chrono>
#include <vector>

#include "workers/rest.h"

namespace convict::workers {

class WaitingWorkers {
 public:
  /// While this object lives, the slots of a supervisor are among them.
  class Member {
   public:
    Member(WaitingWorkers& all, const Slots& slots) : all_(all) { all_.supervisors_.push_back(&slots); }
    ~Member() { all_.supervisors_.pop_back(); }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    WaitingWorkers& all_;
  };

  /// Waits until a worker of any of them has sent something or is gone, and keeps for its supervisor what has arrived.
  void poll_all(std::chrono::milliseconds timeout) const;

 private:
  std::vector<const Slots*> supervisors_;  // each waits for the next one
};

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
//
// Inquests in a thread of their own while a campaign goes on: one after the other, each with a worker of its own, until
// their time is used up. The thread does not touch the database.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "inquest.h"

namespace convict {

/// A row to be explained.
struct Referral {
  int64_t row = 0;
  Mismatch mismatch;
  std::vector<KnownFault> known;  // of the same suspect and operation
};

struct Verdicts {
  int64_t row = 0;
  Mismatch mismatch;
  Finding finding;
  std::string trouble;  // why there is no finding; empty if there is one
};

class Inquests {
 public:
  /// `budget` is for all of them together, without the time in which there is nothing to do.
  Inquests(const SupervisorSettings& settings, std::chrono::milliseconds budget);
  ~Inquests();  // ends the one that is going on

  void refer(Referral referral);

  /// What has been finished since the last call. An inquest that was cut short is not among it.
  std::vector<Verdicts> take();

  /// Nothing is left to do, or no time to do it.
  bool idle() const;

 private:
  void run();

  SupervisorSettings settings_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_;
  std::deque<Referral> waiting_;
  std::vector<Verdicts> finished_;
  std::chrono::steady_clock::duration left_;
  bool busy_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace convict

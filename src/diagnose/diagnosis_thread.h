// SPDX-License-Identifier: Apache-2.0
//
// DiagnosisThread in a thread of their own while a campaign goes on: one after the other, each with a worker of its
// own, until their time is used up. The thread does not touch the database.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "diagnose/diagnosis.h"

namespace convict::diagnose {

/// A row to be explained.
struct DiagnosisRequest {
  int64_t row = 0;
  Mismatch mismatch;
  std::vector<KnownFault> known;  // of the same suspect and operation
};

struct FinishedDiagnosis {
  int64_t row = 0;
  Mismatch mismatch;
  Diagnosis diagnosis;
  std::string trouble;  // why there is no diagnosis; empty if there is one
};

class DiagnosisThread {
 public:
  /// `budget` is for all of them together, without the time in which there is nothing to do.
  DiagnosisThread(const workers::SupervisorSettings& settings, std::chrono::milliseconds budget);
  ~DiagnosisThread();  // ends the one that is going on

  void add(DiagnosisRequest request);

  /// What has been finished since the last call. An diagnosis that was cut short is not among it.
  std::vector<FinishedDiagnosis> take();

  /// Nothing is left to do, or no time to do it.
  bool idle() const;

 private:
  void run();

  workers::SupervisorSettings settings_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_;
  std::deque<DiagnosisRequest> waiting_;
  std::vector<FinishedDiagnosis> finished_;
  std::chrono::steady_clock::duration left_;
  bool busy_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace convict::diagnose

// SPDX-License-Identifier: Apache-2.0
//
// Runs diagnoses in a thread beside a campaign: one after the other, each with its own worker, until their time is used
// up. The thread does not touch the database.
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
  /// `budget` is the time of all diagnoses together, without idle time.
  DiagnosisThread(const workers::SupervisorSettings& settings, std::chrono::milliseconds budget);
  ~DiagnosisThread();  // interrupts the running diagnosis

  void add(DiagnosisRequest request);

  /// The diagnoses finished since the last call, without any that was cut short.
  std::vector<FinishedDiagnosis> take();

  /// Whether nothing is left to do, or no time is left.
  bool idle() const;

 private:
  void run();

  workers::SupervisorSettings settings_;
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::deque<DiagnosisRequest> waiting_;
  std::vector<FinishedDiagnosis> finished_;
  std::chrono::steady_clock::duration left_;
  bool busy_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace convict::diagnose

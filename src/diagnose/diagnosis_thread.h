// SPDX-License-Identifier: Apache-2.0
//
// Runs diagnoses in a thread beside a campaign: one after the other, each with its own worker, until their time is used
// up. Targets come first: they interrupt a diagnosis of an oracle, and keep half of the time for themselves. The
// thread does not touch the database.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "diagnose/diagnosis.h"

namespace convict::diagnose {

/// A row to be explained.
struct DiagnosisRequest {
  int64_t row = 0;
  Mismatch mismatch;
  std::vector<KnownFault> known;  // of the same suspect and kind of verdict
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
  DiagnosisThread(const workers::SupervisionSettings& settings, std::chrono::milliseconds budget);
  ~DiagnosisThread();  // interrupts the running diagnosis

  void add(DiagnosisRequest request);

  /// The diagnoses finished since the last call, without any that was cut short.
  std::vector<FinishedDiagnosis> take();

  /// Whether nothing is left to do, or no time is left.
  bool idle() const;

  /// Whether a target's mismatch was left unexplained for want of time.
  bool ran_out() const;

  /// From now on, only targets are diagnosed.
  void keep_to_targets();

  /// What runs, and how many wait.
  struct Present {
    std::string signature;  // empty if nothing runs
    size_t waiting = 0;
  };
  Present present() const;

 private:
  /// A fault that this thread has learnt.
  struct LearntFault {
    std::string suspect;
    Verdict verdict;
    KnownFault fault;
  };

  struct Running {
    bool of_target = false;
    std::string signature;
  };

  void run();
  void learn(FinishedDiagnosis& finished);
  std::vector<KnownFault> known_to(const DiagnosisRequest& request) const;
  std::optional<DiagnosisRequest> next();  // with mutex_ held
  bool may_run(const DiagnosisRequest& request) const;

  workers::SupervisionSettings settings_;
  const std::chrono::steady_clock::duration budget_;
  std::atomic<bool> stopped_{false}, cut_short_{false};  // cut_short_: the one that is running
  mutable std::mutex mutex_;                             // guards all below
  std::condition_variable wake_;
  std::deque<DiagnosisRequest> waiting_;
  std::vector<FinishedDiagnosis> finished_;
  std::chrono::steady_clock::duration left_;
  bool only_targets_ = false;
  bool gave_up_ = false;  // on a target's mismatch, which took longer than its share of the time
  std::optional<Running> running_;
  std::vector<LearntFault> learnt_;  // of this thread alone, the newest first
  std::thread thread_;          // last: it uses all of the above
};

}  // namespace convict::diagnose

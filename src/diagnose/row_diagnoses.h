// SPDX-License-Identifier: Apache-2.0
//
// Diagnoses beside a campaign, in a thread: one after the other, each with its own worker, until their time is used
// up. Targets come first: they interrupt a diagnosis of an oracle, and keep half of the time for themselves. The thread
// does not touch the database.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/known.h"
#include "store/store.h"

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

class RowDiagnoses {
 public:
  /// `roster`: the implementations that can be run. Adds to `notes` what failed. All arguments must outlive this.
  RowDiagnoses(store::Store& store, const std::vector<workers::RosterEntry>& roster, std::vector<std::string>& notes,
               const workers::SupervisionSettings& settings, std::chrono::milliseconds budget);

  /// Requests a diagnosis of the row with its simplest case, unless one of the row is under way, this case was
  /// requested before, or the suspect is not in the roster. A suspect that does not check whether a problem is legal
  /// has one row, and no condition under which it fails.
  void diagnose(int64_t row, const Mismatch& mismatch);

  /// Calls diagnose() for all unexplained rows of a suspect (of all suspects, if empty), those of earlier campaigns
  /// included.
  void diagnose_unexplained(const std::string& suspect = "");

  /// Writes the diagnoses finished since the last call to the store.
  void store_finished();

  /// As in DiagnosisThread.
  bool idle() const { return diagnoses_.idle() && finished_.empty(); }
  bool ran_out() const { return diagnoses_.ran_out(); }
  void keep_to_targets() { diagnoses_.keep_to_targets(); }
  DiagnosisThread::Present present() const { return diagnoses_.present(); }

 private:
  store::Store& store_;
  const std::vector<workers::RosterEntry>& roster_;
  std::vector<std::string>& notes_;
  Known known_;
  std::set<int64_t> pending_;   // rows with a diagnosis under way
  std::set<std::string> tried_;  // suspects and cases: the number of a row may go to other cases
  std::deque<FinishedDiagnosis> finished_;  // that are not in the store yet
  DiagnosisThread diagnoses_;
};

}  // namespace convict::diagnose

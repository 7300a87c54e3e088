// SPDX-License-Identifier: Apache-2.0
//
// Selects rows of the database for diagnosis, and writes the results back. Call it from one thread, the one that owns
// the store.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "diagnose/diagnosis_thread.h"
#include "diagnose/known.h"
#include "store/store.h"

namespace convict::diagnose {

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

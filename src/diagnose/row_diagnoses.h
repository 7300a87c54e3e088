// SPDX-License-Identifier: Apache-2.0
//
// Between the rows of the database and the diagnoses in their thread: which rows are to be explained, and what becomes
// of them. For one thread, the one that owns the store.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnose/diagnosis_thread.h"
#include "store/store.h"

namespace convict::diagnose {

class RowDiagnoses {
 public:
  /// `roster`: whoever is here to be asked. `notes` gets what cannot be done, in words. All must outlive this.
  RowDiagnoses(store::Store& store, const std::vector<workers::RosterEntry>& roster, std::vector<std::string>& notes,
               const workers::SupervisorSettings& settings, std::chrono::milliseconds budget);

  /// Asks for a row to be explained, if it was not asked for before and its suspect is here.
  void diagnose(int64_t row, const Mismatch& mismatch);

  /// The same for all rows of a suspect (of everybody, if empty) that wait for it: what earlier campaigns left, and
  /// what a predicate did not cover.
  void diagnose_unexplained(const std::string& suspect = "");

  /// Writes what has been found out since the last call.
  void store_finished();

  /// Nothing is left to do, or no time to do it.
  bool idle() const { return diagnoses_.idle(); }

 private:
  std::vector<KnownFault> known_faults(const Mismatch& mismatch) const;

  store::Store& store_;
  const std::vector<workers::RosterEntry>& roster_;
  std::vector<std::string>& notes_;
  std::set<int64_t> requested_;
  DiagnosisThread diagnoses_;
};

}  // namespace convict::diagnose

// SPDX-License-Identifier: Apache-2.0
//
// Diagnoses a mismatch for its report: the smallest case, the conditions under which it shows, and the environment it
// needs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/predicate.h"
#include "core/verdict.h"
#include "explain/samples.h"
#include "store/rows.h"
#include "store/store.h"
#include "workers/supervision_settings.h"

namespace convict::diagnose {

/// A known cause, an explained row, or what a diagnosis has just learnt.
struct KnownFault {
  Predicate predicate;
  std::shared_ptr<const std::vector<explain::Sample>> samples = nullptr;  // that it was learnt from, if they are here
};

struct DiagnosisSettings {
  workers::SupervisionSettings supervisor;
  int shrink_runs = 1000, explain_runs = 800;  // of the suspect
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::vector<KnownFault> known = {};  // of the same suspect and kind of verdict
};

/// The progress of a diagnosis, reported several times a second.
struct DiagnosisProgress {
  const char* stage = "";
  int runs = 0;
  std::string smallest;
};

struct Diagnosis {
  bool complete = false;  // neither interrupted nor out of time
  int shrink_runs = 0;
  std::optional<Mismatch> shrunk;  // on the smallest case, with its certificate
  std::string covered_by;          // predicate of the known fault that explains the shrunk case; `predicate` is empty
  std::string geography, predicate;
  std::vector<explain::Sample> samples;  // that the predicate was learnt from; none if it depends on the data
  store::Explanation explanation;

  /// For the row of `original`, the mismatch that was diagnosed.
  store::RowExplanation row_explanation(const Mismatch& original) const;
};

/// Throws UsageError or CannotJudge if the suspect cannot be loaded; never for anything that it does later.
Diagnosis diagnose(const Mismatch& mismatch, const DiagnosisSettings& settings,
                   const std::function<void(const DiagnosisProgress&)>& progress);

}  // namespace convict::diagnose

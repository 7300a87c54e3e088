// SPDX-License-Identifier: Apache-2.0
//
// Runs given cases, not sampled ones, in workers, for `repro` and `replay`.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/corpus.h"
#include "core/verdict.h"
#include "workers/answers.h"
#include "workers/supervision_settings.h"

namespace convict::campaign {

/// What the implementations said of a case. Cases of which they said the same share it.
using Summaries = std::shared_ptr<const std::vector<workers::ImplementationSummary>>;

/// The result of one case.
struct CaseResult {
  bool examined = false;  // false: not reached before an interrupt
  bool judged = false;    // a target's result was compared with the reference
  Summaries summaries;    // nullptr if a worker died and no target was left
  std::vector<Mismatch> mismatches;

  const std::vector<workers::ImplementationSummary>& implementations() const;
};

struct CaseListResult {
  std::vector<CaseResult> cases;  // in the order given
  std::vector<workers::RosterEntry> roster;
  std::vector<std::string> notes;
  workers::Counts counts;
  bool interrupted = false;
};

/// How a list of cases is run.
enum class ListMode {
  kConfirmed,    // accusations are repeated alone (workers/confirmation.h)
  kAsSeen,       // they are not: the caller does so, or does not want to
  kInOneProcess  // the same, and one process runs all cases in order: what fails may need what was run before
};

struct ListSettings {
  ListMode mode = ListMode::kConfirmed;
  examine::AskedRelations relations = examine::AskedRelations::kAll;
  bool smallest_faults = true;  // whether they are wanted: they differ from case to case
};

/// Calls progress(done) several times a second.
CaseListResult run_case_list(const Corpus& corpus, const workers::SupervisionSettings& settings,
                             const std::function<void(uint64_t)>& progress, const ListSettings& how = {});

/// The same for a few.
CaseListResult run_case_list(const std::vector<CorpusEntry>& entries, const workers::SupervisionSettings& settings,
                             const std::function<void(uint64_t)>& progress, const ListSettings& how = {});

}  // namespace convict::campaign

// SPDX-License-Identifier: Apache-2.0
//
// What a worker reports of its cases in sum: who computed and refused how many, how close to the bounds, and which
// combinations of features they showed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/coverage.h"
#include "core/ratios.h"
#include "examine/pipeline.h"
#include "workers/messages.h"

namespace convict::workers {

class WorkerTally {
 public:
  /// Borrows both. Nothing may be added before the subjects are loaded.
  WorkerTally(run::FlightRecord& record, const std::vector<run::Subject>& subjects)
      : record_(record), subjects_(subjects) {}

  void take_over(const KnownTuples& seen);

  /// Adds an examined case to the tally and to the next report. The tally survives the process.
  void add(const examine::Examination& examination);
  /// The same for its tuples, if it was judged. A target that took the case and failed was put to the test as well.
  void cover(const Case& c, const examine::Examination& examination, CoverageOf whose);

  /// Whether one of the targets has been convicted so far.
  bool has_found() const { return found_; }
  bool has_seen_all(const Levels& levels) const { return coverage_.has_seen_all(levels); }

  /// What was added since the last call, as the end of an order of `count` cases.
  Done take(uint64_t count);
  /// The same in the middle of an order.
  Done take_before_death();

 private:
  run::FlightRecord& record_;
  const std::vector<run::Subject>& subjects_;
  Coverage coverage_;                                            // what was seen before, and by this process
  std::map<int, Coverage> pairs_;                                // the same by target, of pairs only
  std::map<int, std::vector<uint64_t>> levels_;                  // since the last report
  uint64_t covered_ = 0;                                         // cases added to it since the last report
  bool found_ = false;                                           // a mismatch of a target
  std::map<std::pair<size_t, std::string>, uint64_t> refusals_;  // since the last report
  Ratios ratios_;                                                // since the last report
};

/// What a case adds to the counters.
PerCounter<uint64_t> counts_of(const examine::Examination& examination);

/// The outcome of each implementation.
std::vector<ImplementationSummary> summaries_of(const examine::Examination& examination);

}  // namespace convict::workers

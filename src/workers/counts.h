// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/counters.h"
#include "run/flight_record.h"

namespace convict::workers {

/// Sums over all workers, dead or alive.
struct Counts : PerCounter<uint64_t> {
  double cpu_seconds = 0;                   // of the workers, without loading, up to the last case each has counted
  std::vector<uint64_t> computed, refused;  // by roster position
  std::array<double, kStages.size()> stage_seconds{};  // of the workers, wall time, by Stage; what resumes begins anew
  std::vector<double> call_seconds;                    // of Stage::kCall, by roster position

  Counts& operator+=(const PerCounter<uint64_t>& other);
  /// Adds those of other workers with the same roster.
  Counts& operator+=(const Counts& other);
  /// Adds those of one process. The vectors have as many entries as the roster.
  Counts& operator+=(const run::FlightRecord& record);
};

}  // namespace convict::workers

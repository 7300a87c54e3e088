// SPDX-License-Identifier: Apache-2.0
//
// Measures one layer in this process: every contestant may refuse, is checked, and is timed.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/case.h"
#include "fill/given_data.h"
#include "lab/bench/contestant.h"
#include "lab/bench/operands.h"

namespace convict::bench {

struct MeasuringSettings {
  std::vector<int> threads = {1};
  double seconds = 0.2;  // least time of one repetition
  int repetitions = 3;
  const fill::GivenData* data = nullptr;  // borrowed: operands in place of drawn ones
};

/// The results with one number of threads, by contestant.
struct Measured {
  int threads = 1;
  std::map<std::string, Timing> timings;
  std::map<std::string, std::string> refused;  // refused, failed or wrong: the reason
  std::optional<Timing> memory = {};           // BenchRow::memory, if anything was timed
};

/// Measures a legal case with each number of threads; implementations named in `without` take no part. `record` names
/// the implementation that runs.
std::vector<Measured> measure(const Case& c, std::span<const run::Subject> subjects,
                              const std::set<std::string>& without, const MeasuringSettings& settings,
                              LayerOperands& operands, run::FlightRecord& record);

}  // namespace convict::bench

// SPDX-License-Identifier: Apache-2.0
//
// How many random faults (faults/fault.h) a campaign finds. A kernel with a fault computes what the sound kernel does
// unless the conditions of the fault are met, so one campaign serves all faults: each case is drawn once, and a fault
// is put on trial only on cases that meet its conditions. Everything runs in this process: the kernels are our own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/faults/fault.h"
#include "lab/score/nearness.h"
#include "lab/score/score.h"

namespace convict::score {

struct RandomFaultSettings {
  uint64_t faults = 500, fault_seed = 1;
  int least_conditions = 2, most_conditions = 6;
  uint64_t seeds = 10;         // campaigns, numbered from 1
  double budget_seconds = 60;  // CPU time that a campaign on one fault would have
  uint64_t cases = 0;          // of a campaign; 0: what the budget pays for
  std::string profile = "all";
  Method method = kLadderMethod;
  const std::atomic<bool>* interrupted = nullptr;
};

/// One fault in one campaign.
struct FaultRun {
  bool found = false;
  uint64_t cases = 0;  // up to and including the one that shows it, or all
  uint64_t met = 0;    // of these cases, those that meet all conditions
  std::string case_text;
};

struct FaultScore {
  faults::Fault fault;
  std::vector<FaultRun> runs;  // by seed
  Nearness nearness;           // of the cases of all campaigns

  bool found_by_all() const;
};

/// The faults with one number of conditions.
struct FaultClass {
  int conditions = 0;
  uint64_t faults = 0, runs = 0, found = 0, found_by_all = 0;
  // Of the faults that could show on each case which meets them: such cases until one shows it, and how many show it.
  uint64_t met = 0, shown = 0;
  std::optional<double> median_cases;         // over faults and seeds; nullopt: less than half are found
  double share = 0, lowest = 0, highest = 0;  // of the runs; a band of 95 % over the faults (Wilson 1927)
};

struct RandomFaultResult {
  std::vector<FaultScore> faults;
  uint64_t cases = 0;           // of each campaign
  double seconds_per_case = 0;  // CPU time, on the sound kernel
  uint64_t false_alarms = 0;
  bool interrupted = false;
  double seconds = 0;
};

/// Calls `progress` with the seed, the cases of this campaign so far, and how many faults it has found.
RandomFaultResult run_random_faults(const RandomFaultSettings& settings,
                                    const std::function<void(uint64_t, uint64_t, uint64_t)>& progress);

/// One row for each number of conditions, in their order.
std::vector<FaultClass> classes_of(const RandomFaultResult& result);

}  // namespace convict::score

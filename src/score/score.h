// SPDX-License-Identifier: Apache-2.0
//
// How well planted faults are found: every mutant on trial, seed by seed, each time in a worker of its own, until a
// case tells against it; by this tool, and by usual alternatives on the same cases.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "score/runs.h"
#include "workers/supervisor.h"

namespace convict::score {

/// A way to look for faults: which cases, and by what they are judged.
struct Method {
  std::string_view name, help;
  Yardstick yardstick = Yardstick::kLadder;
  std::string_view profile = {};  // empty: that of the score
  bool guided = false;            // cases made up by libFuzzer
};

/// The tool itself, and what it is compared with.
inline constexpr Method kLadderMethod = {"ladder", "all rungs"};
std::span<const Method> baselines();

/// What one method made of everybody.
struct MethodScore {
  Method method;
  uint64_t seeds = 0;
  std::vector<std::vector<Run>> runs;             // [mutant][seed - 1]
  std::vector<std::vector<ControlRun>> controls;  // [control][seed - 1]
};

struct ScoreSettings {
  workers::SupervisorSettings
      supervisor;  // limits and oracles; who is on trial, profile, seed and jobs are set run by run
  std::vector<Mutant> mutants, controls;
  std::vector<Method> methods = {kLadderMethod};
  std::string profile = "all";
  uint64_t seeds = 20, baseline_seeds = 20;  // 1 to this
  double budget_seconds = 60;                // of CPU time a run
  uint64_t cases = UINT64_MAX;               // a run
  uint64_t control_cases = 20'000;           // a run
  int jobs = 1;                              // runs at once
  std::string guided_program;                // for methods that are guided
};

struct ScoreResult {
  std::vector<MethodScore> methods;  // as in the settings
  double seconds = 0;
  bool interrupted = false;
};

struct ScoreProgress {
  Method method;
  uint64_t seed = 0, seeds = 0;
  size_t mutant = 0, mutants = 0;  // counted from 1; 0: a control
  uint64_t detected = 0, done = 0, total = 0;
  double seconds = 0;
};

/// `progress` is called after every run, by one thread at a time. All runs of one seed come before those of the next.
/// Throws UsageError or CannotJudge if workers cannot start.
ScoreResult run_score(const ScoreSettings& settings, const std::function<void(const ScoreProgress&)>& progress);

}  // namespace convict::score

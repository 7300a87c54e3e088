// SPDX-License-Identifier: Apache-2.0
//
// Measures how well planted faults are found. Every mutant runs in its own worker, seed by seed, until a case detects
// it; by this tool, and by usual alternatives on the same cases.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/score/hunt.h"

namespace convict::score {

/// A way to find faults: the cases and the yardstick that judges them.
struct Method {
  std::string_view name, help;
  Yardstick yardstick = Yardstick::kLadder;
  std::string_view profile = {};  // empty: the profile of the score
  bool guided = false;            // cases made up by libFuzzer
};

/// The tool itself, and what it is compared with.
inline constexpr Method kLadderMethod = {"ladder", "all rungs"};
std::span<const Method> baselines();

/// The runs of one method on all mutants and controls.
struct MethodScore {
  Method method;
  uint64_t seeds = 0;
  std::vector<std::vector<MutantRun>> runs;       // [mutant][seed - 1]
  std::vector<std::vector<ControlRun>> controls;  // [control][seed - 1]
};

struct ScoreSettings {
  workers::SupervisionSettings supervisor;  // limits and oracles; target, profile, seed and jobs are set run by run
  std::vector<Mutant> mutants, controls;
  std::vector<Method> methods = {kLadderMethod};
  std::string profile{generate::kDefaultProfile};
  uint64_t seeds = 20, baseline_seeds = 20;  // seeds are numbered from 1
  double budget_seconds = 60;                // CPU time per run
  uint64_t cases = UINT64_MAX;               // per run
  uint64_t control_cases = 20'000;           // per run
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

/// Calls `progress` after every run, from one thread at a time. Starts all runs of one seed before those of the next.
/// Throws UsageError or CannotJudge if workers cannot start.
ScoreResult run_score(const ScoreSettings& settings, const std::function<void(const ScoreProgress&)>& progress);

}  // namespace convict::score

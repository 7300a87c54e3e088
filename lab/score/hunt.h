// SPDX-License-Identifier: Apache-2.0
//
// One run of a score: an implementation that is searched for faults, the cases of one seed in the order of their index,
// and the result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/verdict.h"
#include "workers/supervision_settings.h"

namespace convict::score {

/// An implementation of a plugin: one with a planted fault, or a control.
struct Mutant {
  std::string plugin, name, description;
  std::string profile = {};  // that its fault needs; empty: the one of the score
};

/// The name of the implementation without a fault, where a plugin has one.
inline constexpr std::string_view kControlMutant = "control";

/// After so many unconfirmed reports, the time of further confirmations counts against the budget, because each costs
/// several processes.
inline constexpr uint64_t kFreeConfirmations = 100;

/// A report that does not come back at once is repeated so often in one process. A fault that shows once in N calls is
/// confirmed with a chance of 1 - (1 - 1/N)^kRepetitions: 95 % for N = 100.
inline constexpr size_t kRepetitions = 300;

/// One mutant, one seed. A report is a detection if it is confirmed: in fresh workers, the mutant fails again on the
/// reported case and the control does not. Both have had the same cases before: none; or, if that does not show it, the
/// case itself; or the last of those that the process of the report had had. Otherwise the search goes on after it.
struct MutantRun {
  bool finished = false;  // false: not begun, or interrupted
  bool judged = false;    // some result was compared with the reference
  bool detected = false;
  uint64_t unconfirmed = 0;  // reports
  uint64_t cases = 0;        // up to and including the one that detects, in the order of their index; else all examined
  double cpu_seconds = 0;    // of the workers that searched, without loading
  Verdict verdict = Verdict::kCrash;
  std::string case_text;  // of the detection, or else of the first unconfirmed report
  std::vector<std::string> before = {};  // other cases that one process has to run first, for the detection
};

/// A control, one seed: every mismatch is a false alarm.
struct ControlRun {
  bool finished = false;
  uint64_t cases = 0, false_alarms = 0;
  std::string case_text;  // of the first false alarm
};

/// Settings that all runs of one method with one seed share.
struct HuntSettings {
  workers::SupervisionSettings supervisor;  // one job; without a target
  uint64_t cases = 0;
  double budget_seconds = 0;
};

/// The settings with this one on trial alone.
workers::SupervisionSettings on_trial(const Mutant& mutant, workers::SupervisionSettings settings);

/// Searches for a case that detects the mutant. `control` may be null.
MutantRun hunt(const Mutant& mutant, const Mutant* control, const HuntSettings& settings);

/// Examines the given number of cases and counts the mismatches.
ControlRun run_control(const Mutant& control, const HuntSettings& settings);

}  // namespace convict::score

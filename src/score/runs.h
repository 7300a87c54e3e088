// SPDX-License-Identifier: Apache-2.0
//
// Who is searched for faults, and what one search came to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/verdict.h"

namespace convict::score {

/// An implementation of a plugin: one with a planted fault, or a control.
struct Mutant {
  std::string plugin, name, description;
};

/// The name of the implementation without a fault, where a plugin has one.
inline constexpr std::string_view kControlMutant = "none";

/// Reports of one run that are not confirmed, before it gives up: each costs some processes, and patience.
inline constexpr uint64_t kMostUnconfirmed = 100;

/// One mutant, one seed. A report counts as a detection if it is confirmed: in fresh workers, the mutant fails again on
/// the reported case and the control does not. Otherwise the search goes on behind that case.
struct Run {
  bool finished = false;  // false: not begun, or interrupted
  bool judged = false;    // some result was held against the reference
  bool detected = false;
  uint64_t unconfirmed = 0;  // reports
  uint64_t cases = 0;        // up to and including the one that tells, in the order of their index; or all examined
  double cpu_seconds = 0;    // of the workers that searched, without loading
  Verdict verdict = Verdict::kCrash;
  std::string case_text;  // of the report: the detection, or else the first that was not confirmed
};

/// A control, one seed: every mismatch is a false alarm.
struct ControlRun {
  bool finished = false;
  uint64_t cases = 0, false_alarms = 0;
  std::string case_text;  // of the first false alarm
};

}  // namespace convict::score

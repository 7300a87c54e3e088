// SPDX-License-Identifier: Apache-2.0
//
// How often a suspect fails on a case that it failed on once. From failures that come and go nothing can be learnt:
// a neighbour that passes may have passed by chance.
#pragma once

#include <functional>
#include <optional>

#include "core/case.h"
#include "core/verdict.h"
#include "diagnose/probe.h"

namespace convict::diagnose {

struct Reliability {
  bool here = false;                  // it fails each time in one process that repeats the case
  int runs = 0, failed = 0;           // fresh processes; spawned ones, so that their addresses differ
  std::optional<Mismatch> seen = {};  // the first that a fresh process showed

  /// In each fresh process.
  bool afresh() const { return failed == runs; }
};

/// Asks up to ten times in one process, then in fresh ones: ten times, or half a second if all of both fail.
/// `go_on` is asked before each run.
Reliability measured(Probe& probe, const Case& c, Verdict verdict, const std::function<bool()>& go_on);

/// Whether the suspect fails again each time that the process of the probe repeats the case: ten times for values,
/// three for what costs a process, not at all for a hang.
bool fails_each_time(Probe& probe, const Case& c, Verdict verdict, const std::function<bool()>& go_on);

}  // namespace convict::diagnose

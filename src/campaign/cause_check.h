// SPDX-License-Identifier: Apache-2.0
//
// Whether a cause is as its file says, on the versions present: its cases show it, and so do the other cases that its
// predicate covers. A predicate that is wider than what fails would hide other bugs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cause.h"
#include "workers/supervision_settings.h"

namespace convict::campaign {

/// One implementation that a cause concerns.
struct CheckedImplementation {
  std::string name, version;
  std::vector<bool> shown = {};      // by case of the cause
  uint64_t judged = 0, failing = 0;  // other covered cases that it computed, and those that show the cause
  std::vector<std::string> passing = {}, shows = {};  // those that do not, and that do
  double share() const { return judged == 0 ? 1 : static_cast<double>(failing) / static_cast<double>(judged); }
};

struct CauseCheck {
  std::string name;
  std::vector<CheckedImplementation> implementations;  // none: it cannot show here
  std::string why_absent;                              // why not; "" if it can
  std::vector<std::string> faults;                     // one line each; none: it is as its file says
};

struct CauseCheckSettings {
  workers::SupervisionSettings supervisor;
  uint64_t covered = 100;    // cases to try, of each implementation
  uint64_t drawn = 100'000;  // in search of them
  uint64_t seed = 1;
};

/// Why a cause cannot show here: none of the installed implementations can have it, or this processor; "" if it can.
std::string why_absent(const Cause& cause, const std::vector<workers::RosterEntry>& installed);

/// By cause: cases that the generator draws and its predicate covers. All causes share the draws.
std::vector<std::vector<Case>> covered_by(const std::vector<Cause>& causes, const CauseCheckSettings& settings);

/// Of a cause that can show here. `covered`: its cases; `installed`: the implementations that can be run.
CauseCheck check_cause(const Cause& cause, const std::vector<Case>& covered,
                       const std::vector<workers::RosterEntry>& installed, const CauseCheckSettings& settings);

/// The chance that at most `failing` of `judged` cases fail, if each does so with the chance `share` (binomial).
double chance_of_so_few(uint64_t failing, uint64_t judged, double share);

}  // namespace convict::campaign

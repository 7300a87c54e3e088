// SPDX-License-Identifier: Apache-2.0
//
// Finds the implementation that killed a worker. The one that was running is the first suspect. But a heap that one
// library corrupts may break in the next one that allocates, and a thread of one may fault while another runs. So each
// suspect is run alone, and only what dies then is blamed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workers/supervisor.h"

namespace convict::workers {

/// The case that a worker died on: the one it noted, or else the one that its settings give for the index.
Case lost_case(const WorkerDeath& death, const WorkerSettings& worker);

/// The lines of the cases of some work.
using LinesOf = std::function<std::vector<std::string>(const Work&)>;

/// The last lines of what a process had done before, at most kMostEarlierLines of them, in order.
inline constexpr size_t kMostEarlierLines = 1024;
std::vector<std::string> earlier_lines(const std::vector<Work>& before, const LinesOf& lines_of);

/// The mismatch for a death on this case: of the implementation that dies alone, with what it needs for that in the
/// certificate, or of nobody.
Mismatch attributed(const WorkerDeath& death, const Case& lost, const std::vector<RosterEntry>& roster,
                    const SupervisorSettings& settings, const LinesOf& lines_of);

/// The mismatch if the implementation that was running is to blame, with the certificate of the death.
Mismatch first_suspicion(const WorkerDeath& death, const Case& lost, const std::vector<RosterEntry>& roster);

/// What was seen, as a mismatch of nobody: `seen` names the implementation that was seen.
Mismatch of_nobody(Mismatch mismatch);

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
//
// Runs work on several workers and replaces each that dies; a death costs one case. Loads no foreign code. Spawns
// workers, because a process with threads must not fork.
#pragma once

#include <memory>

#include "workers/assignment.h"
#include "workers/supervisor_settings.h"

namespace convict::workers {

class Supervision;

/// Keeps its workers between calls of work(), for an assignment that gets new work later.
class Supervisor {
 public:
  Supervisor(Assignment& assignment, const SupervisorSettings& settings);
  ~Supervisor();  // kills the workers

  /// Works until the assignment has no more work. Throws UsageError or CannotJudge if the workers cannot start.
  Counts work();

 private:
  std::unique_ptr<Supervision> supervision_;
};

/// Runs Supervisor::work() once, with workers of its own.
Counts supervise(Assignment& assignment, const SupervisorSettings& settings);

}  // namespace convict::workers

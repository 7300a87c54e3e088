// SPDX-License-Identifier: Apache-2.0
//
// What earlier campaigns have seen of the targets on trial comes first: does it still fail? Who has repaired a kernel
// sees that, and so do reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/task.h"
#include "core/verdict.h"
#include "core/where.h"
#include "store/store.h"
#include "workers/messages.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"

namespace convict::campaign {

/// A mismatch of a target, triaged as new, known or reported.
struct OpenRow {
  int64_t id = 0;
  Mismatch mismatch;   // the simplest case
  std::string status;  // what it is if it comes back
  std::string target;  // as it is now: "mine 0.2 (file 1f3a90c2)"
};

/// The rows of targets of this roster with cases that are within `where`, new ones first; a hundred at most.
std::vector<OpenRow> open_rows(const store::Store& store, const std::vector<workers::RosterEntry>& roster,
                               const Where& where);

/// What came of one.
struct Replayed {
  int64_t id = 0;
  Mismatch mismatch;
  std::string status;
  std::string gone;  // since which version it does not come back; empty if it does

  bool fails() const { return gone.empty(); }
};

/// Runs the case as the row says that it failed, in fresh processes that load the target alone. Nothing if they tell
/// nothing. What is given as a reference must outlive the task.
Task<std::optional<Replayed>> replayed(workers::Pool& pool, const OpenRow& row,
                                       const workers::SupervisionSettings& settings);

}  // namespace convict::campaign

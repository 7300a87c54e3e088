// SPDX-License-Identifier: Apache-2.0
//
// Examines cases in the calling process, without a worker: for debuggers, fuzzers, measurements and tests.
#pragma once

#include <memory>
#include <vector>

#include "examine/pipeline.h"

namespace convict::examine {

/// An implementation that crashes ends the process. The memory and the record are used for one case after the other.
struct LocalExaminer {
  std::vector<run::Subject> subjects;
  ExaminationSettings settings = {.most_bytes = 1e9};
  run::GuardedMemory memory = {};
  std::unique_ptr<run::FlightRecord> record = std::make_unique<run::FlightRecord>();  // too large for some stacks

  Examination examine(const Case& c) { return examine::examine(c, subjects, memory, *record, settings); }
};

}  // namespace convict::examine

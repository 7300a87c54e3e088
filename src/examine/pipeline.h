// SPDX-License-Identifier: Apache-2.0
//
// One case through all stages: fill -> run -> judge. The file to read first.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/case.h"
#include "core/where.h"
#include "examine/calls.h"
#include "examine/rules.h"
#include "examine/spared.h"
#include "fill/given_data.h"
#include "judge/judge.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"
#include "run/loader.h"

namespace convict::examine {

/// The results and mismatches of one case.
struct Examination {
  std::vector<judge::Result> results;  // one per subject, in their order
  std::vector<Mismatch> mismatches;
  bool judged = false;      // a target's result was compared with the reference
  bool witnessed = false;   // judged, and computed by every oracle; of those that take turns, by one
  bool illegal = false;     // it had to be refused
  bool mistrusted = false;  // most lost products would not have been noticed, so the case ran again with Fill::kComb
  std::vector<size_t> foreign;  // positions of those in external libraries that were asked or called
  int redrawn = 0;              // results beyond the probabilistic bound on the first data only
};

/// What a target did to the process when it was asked whether it takes a case.
struct EffectOfAsking {
  size_t subject = 0;
  std::string side_effect;
};

/// The limits and options of an examination.
struct ExaminationSettings {
  double most_bytes = 0;  // a case that needs more memory is refused on behalf of all implementations
  Yardstick yardstick = Yardstick::kLadder;
  const SparedKinds* spared = nullptr;    // borrowed: oracles that are spared most cases of a kind
  uint64_t without = 0;                   // subjects that are left out: is_left_out()
  const Where* where = nullptr;           // borrowed: cases outside are refused for all
  bool takes_turns = false;               // those oracles do that the user did not name (run/turns.h)
  bool all_libraries = false;             // of those, each library is asked, by one of its variants; else one is
  bool asks_oracles = true;
  AskedRelations relations = AskedRelations::kOne;
  const fill::GivenData* data = nullptr;  // borrowed: operands in place of those of the case's fill
  bool values = false;                    // certificates show all elements of small outputs (certificates.md)
  // What a library changes in the process is looked for after each call; or else by the caller, after one or more
  // cases.
  bool is_careful = true;
  std::optional<EffectOfAsking> effect_of_asking = {};  // of a target that was asked before
  std::string changed = {};       // found by the caller; of an unknown author, unless one changes something again
};

/// What the target at this position of the roster says of a legal case.
Acceptance answer_to(const Case& c, const run::Subject& target, size_t position, run::FlightRecord& record,
                     const ExaminationSettings& settings);

/// Whether examine() would ask a subject about a case, and not refuse the case on its behalf.
bool is_asked(const Case& c, const run::Subject& who, const ExaminationSettings& settings);

/// Runs every subject on the case and judges the results. Subjects must refuse an illegal case. If a subject kills this
/// process, `record` names it. `memory` is scratch that the next case reuses.
Examination examine(const Case& c, std::span<const run::Subject> subjects, run::GuardedMemory& memory,
                    run::FlightRecord& record, const ExaminationSettings& settings);

/// Examines cases in the calling process, without a worker: for debuggers, fuzzers, measurements and tests.
/// An implementation that crashes ends the process. The memory and the record are used for one case after the other.
struct LocalExaminer {
  std::vector<run::Subject> subjects;
  ExaminationSettings settings = {.most_bytes = 1e9};
  run::GuardedMemory memory = {};
  std::unique_ptr<run::FlightRecord> record = std::make_unique<run::FlightRecord>();  // too large for some stacks

  Examination examine(const Case& c) { return examine::examine(c, subjects, memory, *record, settings); }
};

}  // namespace convict::examine

// SPDX-License-Identifier: Apache-2.0
//
// What saves messages to process targets: the questions and the calls of the next cases, sent together. It changes no
// verdict: the examination asks and calls as ever, and finds the answers there.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "core/case.h"
#include "examine/pipeline.h"
#include "generate/generate.h"
#include "relations/relation.h"
#include "run/flight_record.h"
#include "run/guarded_memory.h"
#include "run/loader.h"
#include "run/process_target.h"

namespace convict::workers {

class Lookahead {
 public:
  Lookahead(std::span<const run::Subject> subjects, run::FlightRecord& record, std::chrono::milliseconds patience)
      : subjects_(subjects), record_(record), patience_(patience) {}

  /// How many cases it can look ahead; 1 if no implementation takes several problems at once.
  size_t reach() const;

  /// For the cases that are drawn for these places.
  void over_places(const generate::Sampling& sampling, std::span<const uint64_t> indices,
                   const examine::ExaminationSettings& settings);
  /// For given cases.
  void over_cases(std::span<const Case> cases, const examine::ExaminationSettings& settings);

  /// Asks a target about these cases together, if it can be asked so.
  void ask_ahead(const run::Subject& who, std::span<const Case> cases, const examine::ExaminationSettings& settings);

  /// Called after these cases have been examined.
  void settle();

 private:
  using Implementation = convict_implementation;

  /// The calls of a relation, in their order.
  using RelationCalls = std::vector<relations::Call>;

  std::vector<Case> taken(const run::Subject& subject, const generate::Sampling& sampling,
                          std::span<const uint64_t> indices, const examine::ExaminationSettings& settings);
  void ask(const Implementation& who, std::span<const Case> cases);
  void ask(const Implementation& who, std::span<const RelationCalls> related);
  void ask(const Implementation& who, std::span<const run::ProcessTarget::Question> questions);
  void run(size_t position, std::span<const Case> cases, examine::AskedRelations relations);
  void stage_case(const Implementation& who, const Case& c);
  void stage(const Implementation& who, const RelationCalls& calls);

  std::span<const run::Subject> subjects_;
  run::FlightRecord& record_;
  std::chrono::milliseconds patience_;
  run::GuardedMemory memory_;  // where operands are filled, to be copied to the clients' files
};

}  // namespace convict::workers

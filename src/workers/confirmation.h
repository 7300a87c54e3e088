// SPDX-License-Identifier: Apache-2.0
//
// An accusation counts if it comes back alone: on the printed line, in a fresh process that has loaded the suspect's
// library only. What one plugin does to the process it shares with others must never convict them.
//
// The cost is bounded: the first accusations of a kind are repeated, and then the 10th, 100th, ... The others of the
// kind are taken as the last repeated one was.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

/// Of one process that runs a case again and again. `first`: the first call that failed, from 1.
struct RepeatedCalls {
  int64_t made = 0, failing = 0, first = 0;
};

/// How many calls of one process show a case that failed in `failed` of so many processes, each of one call, and in
/// `calls` of one more. Nothing if the process decides, because then no number of calls helps: each call fails, or all
/// that were wanted were made and none did. If one process failed and there was time for too few calls, so that none
/// of them did, nothing tells these two apart: it may be rare, and the calls of the processes count, too.
std::optional<int64_t> times_that_show(int runs, int failed, const RepeatedCalls& calls);

/// Which accusations are alike, so that one trial speaks for several: those of one `name`, e.g. of one signature.
struct KindOfAccusation {
  std::string name;
  bool is_line_shown;  // the line of this one will be: it is repeated although others came back
};

class Confirmations {
 public:
  /// `settings` are borrowed; their plugin_of is complete before the first call of checked().
  Confirmations(Pool& pool, const SupervisionSettings& settings) : pool_(pool), settings_(settings) {}

  /// The mismatch without a repetition of its own, if others of its kind were enough: with `runs` 0, or with
  /// the blame `nobody`; it counts as seen then. Nothing if it has to be repeated, or while another one of its kind is.
  std::optional<Mismatch> settle_without_trial(const Mismatch& seen, const KindOfAccusation& kind);

  /// The mismatch with what came of its repetition (Certificate::Alone); or with the blame `nobody`, if it did not
  /// come back; or what settle_without_trial() gives. `earlier` gives the lines of the cases that the process had run
  /// before. `seen` and `roster` must outlive the task; one of a kind runs at a time.
  Task<Mismatch> checked(const Mismatch& seen, KindOfAccusation kind, const std::vector<RosterEntry>& roster,
                         std::function<std::vector<std::string>()> earlier);

 private:
  struct KindHistory {
    uint64_t seen = 0;
    int repeated = 0;  // times
    bool came_back = false, is_on_trial = false;
  };

  static bool is_next_due(const KindHistory& kind);
  Task<Mismatch> repeated(const Mismatch& seen, const std::vector<RosterEntry>& roster,
                          std::function<std::vector<std::string>()> earlier) const;
  Task<bool> shows_in_a_copy(const Mismatch& seen) const;

  Pool& pool_;
  const SupervisionSettings& settings_;
  std::map<std::string, KindHistory> kinds_;
};

}  // namespace convict::workers

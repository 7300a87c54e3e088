// SPDX-License-Identifier: Apache-2.0
//
// Which cases of a campaign are done, and which mismatches wait for theirs.
//
// Why every case counts exactly once: done() and the hits are always written in one transaction, so that the database
// holds what memory held at some moment; and in memory, a case is done if and only if all of its hits have been given
// to be recorded. Mismatches wait here until the supervisor says that their case is complete (docs/decisions/0018).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/counters.h"
#include "core/intervals.h"
#include "core/verdict.h"
#include "workers/supervisor.h"

namespace convict::campaign {

/// The cases of a shard: `size` of them, at the indices first, first + step, ...
struct Shard {
  uint64_t first = 0, step = 1, size = 0;
};

class Bookkeeping {
 public:
  explicit Bookkeeping(const Shard& shard) : shard_(shard) {}

  /// Positions in the shard.
  const Intervals& done() const { return done_; }
  /// What an earlier run of the campaign has done.
  void resume(Intervals done) { done_ = std::move(done); }

  /// Cases that have not been handed out, about `count`; nullopt if there are no more.
  std::optional<workers::Work> next_work(uint64_t count);
  workers::Order order(const workers::Work& work) const;

  /// A mismatch of a case that is not complete yet.
  void add(Mismatch mismatch) { unkept_.push_back(std::move(mismatch)); }
  /// The case of the mismatch that was added last stays undone: the user interrupted its repetition, which proves
  /// nothing then. `counts`: what the case has added to the tally.
  void leave_undone(const PerCounter<uint64_t>& counts) { cut_off_ = counts; }
  /// These cases are complete. Returns the hits to record.
  std::vector<Mismatch> complete(const workers::Work& work);

  /// A worker died on the case. Returns the hits to record; none if the case is examined again without those who died.
  std::vector<Mismatch> died(const workers::WorkerDeath& death, const Case& lost, Mismatch mismatch, bool again);

  /// The case at this index, if it is examined again without those who died of it.
  const Case* lost_case(uint64_t index) const;

  /// Whether a foreign process has killed workers on this case so seldom that it is worth another try.
  bool wants_again(uint64_t index);

  /// Cases that are counted and undone.
  bool has_undone() const { return undone_[Counter::kCases] > 0; }
  /// Without those.
  void correct(PerCounter<uint64_t>& counts) const;

 private:
  /// A case that workers died on, and their deaths, which wait until everybody else has been judged on it.
  struct Lost {
    Case c;
    std::vector<Mismatch> deaths;
  };

  uint64_t position_of(uint64_t index) const { return (index - shard_.first) / shard_.step; }

  const Shard shard_;
  Intervals done_;
  uint64_t next_ = 0;              // everything before has been handed out, or was done before
  std::vector<Mismatch> unkept_;   // of the case that is being reported
  std::map<uint64_t, Lost> lost_;  // by index
  std::map<uint64_t, int> kills_;  // by somebody else, by index
  std::optional<PerCounter<uint64_t>> cut_off_;
  PerCounter<uint64_t> undone_;
};

}  // namespace convict::campaign

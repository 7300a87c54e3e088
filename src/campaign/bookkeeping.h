// SPDX-License-Identifier: Apache-2.0
//
// Which cases of a campaign are done, and what the others wait for.
//
// Why every case counts exactly once: done() and the hits are always written in one transaction, so that the database
// holds what memory held at some moment; and in memory, a case is done if and only if all of its hits have been given
// to be recorded. A case is *open* until its worker has told all of it, and each of its accusations has had its trial
// (docs/decisions/0018).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "core/intervals.h"
#include "core/ratios.h"
#include "core/verdict.h"
#include "workers/answers.h"
#include "workers/messages.h"

namespace convict::campaign {

/// The cases of a shard: `size` of them, at the indices first, first + step, ...
struct Shard {
  uint64_t first = 0, step = 1, size = 0;
};

class Bookkeeping {
 public:
  /// `elsewhere`: positions that another lane takes care of.
  explicit Bookkeeping(const Shard& shard, Intervals elsewhere = {})
      : shard_(shard), elsewhere_(std::move(elsewhere)), handed_out_(elsewhere_) {}

  /// Positions in the shard.
  const Intervals& done() const { return done_; }
  const Intervals& elsewhere() const { return elsewhere_; }
  /// Those that are not left for next_work(): done, elsewhere, or under way.
  const Intervals& handed_out() const { return handed_out_; }
  /// Work that was handed out and comes back unexamined.
  void recall(const workers::Work& work);
  /// Of what is handed out from now on, these implementations are left out: a bit for each roster position.
  void leave_out(uint64_t without) { without_ |= without; }
  uint64_t without() const { return without_; }
  /// Those of done cases.
  const Ratios& ratios();
  /// What an earlier run of the campaign has done.
  void resume(Intervals done, Ratios ratios) {
    handed_out_.add(done);
    done_ = std::move(done);
    ratios_ = std::move(ratios);
  }

  /// Cases that have not been handed out, about `count`, or one that is examined again; nullopt if there are no more.
  std::optional<workers::Work> next_work(uint64_t count);
  workers::Order order(const workers::Work& work) const;

  /// A mismatch of an open case that needs no trial.
  void add(uint64_t index, Mismatch mismatch);
  /// One that has its trial. `counts`: what the case has added to the tally. Returns the number of the accusation.
  int accuse(uint64_t index, const Mismatch& seen, const PerCounter<uint64_t>& counts);
  /// What came of it. Returns the hits to record, if the case is complete by that.
  std::vector<Mismatch> settle(uint64_t index, int number, Mismatch found);

  /// The workers have told all of these cases. Returns the hits to record, of those that are complete.
  std::vector<Mismatch> complete(const workers::Work& work);

  /// A worker died on the case. As accuse(), with `suspected` as what was seen.
  int lose(const workers::WorkerDeath& death, const Case& lost, const Mismatch& suspected);
  /// What came of it. The case is examined again `without` the implementations that died of it; given up if that is 0.
  std::vector<Mismatch> settle_death(uint64_t index, int number, Mismatch found, uint64_t without);

  /// The case at this index, if a worker died on it.
  const Case* lost_case(uint64_t index) const;

  /// Gives up what is open: the case counts, with its hits as far as they are known, and with its accusations as they
  /// were seen, which `unconfirmed` gets.
  std::vector<Mismatch> give_up(std::vector<Mismatch>& unconfirmed);

  /// Ratios of the cases of this work. If one of them stays undone, they count when it is done.
  void add(const workers::Work& work, const Ratios& ratios) { of_work_.emplace_back(work, ratios); }

  /// Takes off what open cases have added to the counts, and adds the cases that were given up before a worker counted
  /// them.
  void correct(PerCounter<uint64_t>& counts) const;

 private:
  struct Open {
    std::map<int, Mismatch> accusations;  // as seen, by number
    std::vector<Mismatch> hits;
    PerCounter<uint64_t> counts;
    bool is_told = false;        // all of it
    std::optional<Case> lost;    // an implementation died of it
    bool is_counted = true;      // in the tally
  };

  uint64_t position_of(uint64_t index) const { return (index - shard_.first) / shard_.step; }
  std::vector<Mismatch> close_if_complete(uint64_t index);
  bool has_open(const workers::Work& work) const;

  const Shard shard_;
  const Intervals elsewhere_;
  Intervals handed_out_;  // since this began, without what came back
  Intervals done_;
  Ratios ratios_;
  std::vector<std::pair<workers::Work, Ratios>> of_work_;  // not in ratios_ yet
  uint64_t without_ = 0;
  std::map<uint64_t, Open> open_;    // by index
  std::deque<workers::Work> again_;  // single cases
  int accusations_ = 0;
  uint64_t uncounted_ = 0;  // cases that were given up
};

}  // namespace convict::campaign

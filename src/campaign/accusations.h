// SPDX-License-Identifier: Apache-2.0
//
// The accusations of a campaign and their trials, which run beside it: workers go on with other cases meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "campaign/bookkeeping.h"
#include "campaign/kept_result.h"
#include "campaign/result.h"
#include "core/task.h"
#include "examine/spared.h"
#include "store/store.h"
#include "workers/attribution.h"
#include "workers/confirmation.h"
#include "workers/pool.h"

namespace convict::campaign {

/// What the lanes of a campaign share, and the trials of accusations: what they need to know of it, and where they
/// write what came of them. All of it outlives them.
struct SharedByLanes {
  workers::Pool& pool;
  const workers::SupervisionSettings& supervisor;
  CampaignResult& result;
  KeptResult& kept;
  bool shrinks = false;  // what is shown, but for problems that are not legal
};

/// How long trials may go on when the time of a campaign is up.
std::chrono::seconds grace_for(const std::vector<workers::RosterEntry>& roster);

class Accusations {
 public:
  /// The books are borrowed.
  Accusations(const SharedByLanes& settings, Bookkeeping& books)
      : settings_(settings), books_(books), confirmations_(settings_.pool, settings_.supervisor) {}

  /// A mismatch of a case that is not complete yet.
  void accuse(const workers::Sighting& sighting);
  /// A worker died. Its case is examined again without the implementation that caused the death.
  void accuse(const workers::WorkerDeath& death);

  /// Repeats what an earlier campaign had no time to repeat: the case of this row, which has the blame `nobody`.
  void repeat_unconfirmed(int64_t row, Mismatch seen) { trials_.start(repeat(row, std::move(seen))); }

  /// Runs the case of a row of an earlier campaign: does it still fail?
  void replay_row(OpenRow row) { trials_.start(replay(std::move(row))); }

  /// Trials that are not over, or were not at the last call of forget_finished(), which throws what one of them has
  /// thrown.
  size_t pending() const { return trials_.size() + waiting_; }
  void forget_finished() { trials_.drop_finished(); }

  /// Begins no trial any more, and ends those under way. Called when there is no time for them.
  void end();
  /// Deaths without a trial, of workers that had already reported the case.
  std::vector<Mismatch> take_untried() { return std::exchange(untried_, {}); }

  /// The kinds of cases on which a witness has died.
  const examine::SparedKinds& spared() const { return spared_; }

 private:
  workers::KindOfAccusation kind_of(const Mismatch& seen);
  /// An accusation, and what its process had done before.
  struct Accusation {
    uint64_t index;
    int number;
    Mismatch seen;
    std::vector<workers::Work> before;
    workers::Draws draws;
  };
  void put_on_trial(Accusation accusation, const std::string& kind);
  Task<void> confirm(Accusation accusation, std::string kind);
  void settle_alike(const std::string& kind);
  Task<void> repeat(int64_t row, Mismatch seen);
  Task<void> replay(OpenRow row);
  Task<void> attribute(workers::WorkerDeath death, Case lost, int number);
  std::optional<Mismatch> without_trial(const workers::WorkerDeath& death, const Mismatch& suspected) const;
  void settle(const workers::WorkerDeath& death, const Case& lost, int number, Mismatch found);

  const SharedByLanes settings_;
  Bookkeeping& books_;
  workers::Confirmations confirmations_;
  workers::Attributions attributions_;
  workers::Tasks trials_;
  std::map<std::string, std::vector<Accusation>> alike_;  // that wait for a trial of their kind
  examine::SparedKinds spared_;
  size_t waiting_ = 0;  // in alike_
  std::vector<Mismatch> untried_;
  bool is_ending_ = false;
};

}  // namespace convict::campaign

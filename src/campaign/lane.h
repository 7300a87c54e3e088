// SPDX-License-Identifier: Apache-2.0
//
// The cases of a campaign and the targets that are judged on them: all, or some for which the others would wait most of
// the time, because they die, err or take long. Each lane has workers, books and trials of its own.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "campaign/accusations.h"
#include "campaign/bookkeeping.h"
#include "campaign/kept_result.h"
#include "campaign/result.h"
#include "core/task.h"
#include "workers/pool.h"

namespace convict::campaign {

/// How a campaign goes on.
enum class Pace {
  kGoOn,
  kFinish,  // no more work, and without cases that are not begun
  kStop     // at once
};

struct LaneSettings : SharedByLanes {
  std::function<void(const workers::Began&)> begin;  // everything is loaded
  std::function<Pace()> pace;                        // called several times a second
};

class Lane {
 public:
  /// `targets`: their names; empty: all that have no other lane. The books say which implementations are left out.
  Lane(const LaneSettings& settings, Bookkeeping books, std::set<std::string> targets);

  /// Examines cases until there are no more.
  Task<void> work();

  const std::set<std::string>& targets() const { return targets_; }
  Bookkeeping& books() { return books_; }
  const Bookkeeping& books() const { return books_; }
  Accusations& accusations() { return accusations_; }
  /// Takes back what is under way. Others may be parted from it once that has come back.
  void recall() { is_recalled_ = true; }
  bool is_recalled() const { return is_recalled_; }
  /// What it adds to the sums of the campaign.
  workers::Counts counts() const;
  /// Gives up open cases. An accusation that there was no time to repeat is kept with the blame `nobody`.
  void give_up();

 private:
  workers::SupervisionSettings supervisor() const;
  void put_work(workers::Workers& workers);
  void add_what_is_known(workers::WorkerSettings& worker) const;
  // What it does with each answer; nothing with the first ones.
  void take(const workers::Began&) {}
  void take(const workers::CaseReport&) {}
  void take(const workers::LayerReport&) {}
  void take(const workers::Surveyed&) {}
  void take(const workers::Tick&) {}
  void take(const workers::Sighting& sighting);
  void take(const workers::Reported& reported);
  void take(const workers::Finished& finished);
  void take(const workers::Recalled& recalled);
  void take(const workers::WorkerDeath& death) { accusations_.accuse(death); }
  bool speaks_of(const std::string& implementation) const;

  const LaneSettings settings_;
  Bookkeeping books_;
  const std::set<std::string> targets_;
  workers::Counts counts_;
  bool is_recalled_ = false;
  Accusations accusations_;
};

}  // namespace convict::campaign

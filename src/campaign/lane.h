// SPDX-License-Identifier: Apache-2.0
//
// The cases of a campaign and those who are judged on them: everybody, or targets for which the others would wait most
// of the time, because they die, err or take long. Each lane has workers, books and trials of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/accusations.h"
#include "campaign/bookkeeping.h"
#include "campaign/kept_result.h"
#include "core/task.h"
#include "workers/pool.h"
#include "workers/supervisor.h"

namespace convict::campaign {

/// What the lanes of a campaign share. All of it outlives them.
struct LaneSettings {
  workers::Pool& pool;
  const workers::SupervisorSettings& supervisor;
  const std::vector<workers::RosterEntry>& roster;
  KeptResult& result;
  bool shrinks = false;  // as in TrialSettings
  std::function<void(const std::vector<workers::RosterEntry>&, const std::vector<std::string>&)> begin;  // all is loaded
  std::function<workers::Assignment::Next()> pace;  // called several times a second
};

class Lane final : public workers::Assignment {
 public:
  /// `targets`: their names; empty: everybody who has no other lane. The books say who is left out.
  Lane(const LaneSettings& settings, Bookkeeping books, std::set<std::string> targets);

  /// Examines cases until there are no more.
  Task<void> work();

  const std::set<std::string>& targets() const { return targets_; }
  Bookkeeping& books() { return books_; }
  const Bookkeeping& books() const { return books_; }
  Accusations& accusations() { return accusations_; }
  /// What it adds to the sums of the campaign.
  workers::Counts counts() const;
  /// Gives up what is open. What there was no time to repeat is nobody's.
  void give_up();

  void on_roster(const std::vector<workers::RosterEntry>& roster, const std::vector<std::string>& notes) override;
  std::optional<workers::Work> next_work(uint64_t count) override;
  workers::Order order(const workers::Work& work) const override { return books_.order(work); }
  void on_mismatch(const workers::Sighting& sighting) override;
  void on_reported(const workers::Work& work) override;
  void on_refusals(const std::vector<workers::Refusals>& refusals) override;
  void on_ratios(const workers::Work& work, const Ratios& ratios) override;
  void on_coverage(const workers::Done& done) override { settings_.result.cover(done, targets_); }
  void on_death(const workers::WorkerDeath& death) override { accusations_.accuse(death); }
  bool wants_again(uint64_t index) override { return books_.wants_again(index); }
  bool expects_more() const override { return accusations_.pending() > 0; }
  examine::SparedKinds spared() const override { return accusations_.spared(); }
  workers::KnownTuples known_tuples() const override;
  Next on_tick(const workers::Counts& counts) override;

 private:
  bool speaks_of(const std::string& implementation) const;

  const LaneSettings settings_;
  Bookkeeping books_;
  const std::set<std::string> targets_;
  workers::Counts counts_;
  Accusations accusations_;
};

}  // namespace convict::campaign

// SPDX-License-Identifier: Apache-2.0
//
// One suspect, asked about one case after the other in worker processes that stay as long as they live: what shrinking
// and explaining ask. The exact reference is the only other party.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/case.h"
#include "core/verdict.h"
#include "workers/supervisor.h"

namespace convict::diagnose {

/// Whom to ask, and for what.
struct Suspicion {
  std::string suspect;
  Verdict verdict = Verdict::kCrash;
};

class Probe final : private workers::Assignment {
 public:
  /// The roster of `settings` says where the suspect is to be found (plugins) and, for Verdict::kLessAccurate, who the
  /// witnesses are; a hang is waited for two seconds at most.
  Probe(const Suspicion& suspicion, const workers::SupervisorSettings& settings);

  struct Answer {
    bool judged = false;               // it did not refuse
    std::optional<Mismatch> mismatch;  // of a verdict that is alike to the suspicion
  };

  /// The same case is not run twice.
  const Answer& ask(const Case& c);

  /// Runs the case again, for a certificate that shows all elements of a small output (docs/certificates.md).
  Answer ask_for_values(const Case& c);

  /// The same as ask in a process that has run nothing before, with the threads' and instruction sets' limits of
  /// `environment` (names and values of environment variables).
  Answer ask_fresh(const Case& c, const std::map<std::string, std::string>& environment = {}) const;

  int runs() const { return runs_; }
  bool interrupted() const { return settings_.interrupted && *settings_.interrupted; }

 private:
  void on_roster(const std::vector<workers::RosterEntry>&, const std::vector<std::string>&) override {}
  std::optional<workers::Work> next_work(uint64_t count) override;
  workers::Order order(const workers::Work& work) const override;
  void on_mismatch(uint64_t index, const Mismatch& mismatch) override;
  void on_case(const workers::CaseReport& report) override;
  void on_death(const workers::WorkerDeath& death) override;

  void run(const Case& c);

  Suspicion suspicion_;
  workers::SupervisorSettings settings_;
  workers::Supervisor supervisor_;
  Case asked_;
  bool for_values_ = false;
  bool handed_out_ = true;
  bool died_ = false;  // the process, of the last case
  int cases_in_this_process_ = 0;
  Answer answer_;
  std::map<std::string, Answer> answers_;  // by canonical line
  int runs_ = 0;
};

}  // namespace convict::diagnose

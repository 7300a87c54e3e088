// SPDX-License-Identifier: Apache-2.0
//
// Runs work on several workers, restarts those that die, and lets a death cost one case. It loads no foreign code and
// never forks a process that has threads: workers are spawned.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/ratios.h"
#include "core/verdict.h"
#include "run/flight_record.h"
#include "run/worker_process.h"
#include "workers/messages.h"

namespace convict::workers {

/// A worker's death, or its killing for exceeding its time or memory.
struct WorkerDeath {
  Verdict verdict = Verdict::kCrash;
  uint64_t index = 0;                          // of the case that is lost
  int position = run::FlightRecord::kOwnCode;  // in the roster: who was running
  bool from_outside = false;                   // killed by neither itself nor us: says nothing about anybody
  bool reported = false;                       // on_reported has told of the case: the worker died after it
  int memory_holder =
      run::FlightRecord::kOwnCode;  // whose calls left most memory behind, if that is what it was killed for
  Work work;                        // what the worker had been given, from the first case on
  std::string case_text;            // of workers that make up their cases themselves; else empty
  Certificate certificate;          // signal, what was touched, last words
};

/// Sums over all workers, dead or alive.
struct Counts : PerCounter<uint64_t> {
  double cpu_seconds = 0;                   // of the workers, without loading, each up to the last case it counted
  std::vector<uint64_t> computed, refused;  // by roster position
};

/// The client of a supervisor: where work comes from and where results go. Called from supervise() only.
class Assignment {
 public:
  enum class Next { kContinue, kFinish, kAbort };

  virtual ~Assignment() = default;
  /// Called once, when the first worker is up.
  virtual void on_roster(const std::vector<RosterEntry>& roster, const std::vector<std::string>& notes) = 0;
  /// The next work of about `count` cases, or nothing if all is handed out.
  virtual std::optional<Work> next_work(uint64_t count) = 0;
  /// What a worker is told about it.
  virtual Order order(const Work& work) const = 0;
  virtual void on_mismatch(uint64_t index, const Mismatch& mismatch) = 0;
  /// These cases have been examined to the end, and on_mismatch was called for all of their mismatches. Every case is
  /// in exactly one such call, or it is the one of an on_death that is not `reported`.
  virtual void on_reported(const Work& /*work*/) {}
  virtual void on_case(const CaseReport& /*report*/) {}
  virtual void on_layer(const LayerReport& /*report*/) {}
  virtual void on_refusals(const std::vector<Refusals>& /*refusals*/) {}
  /// Of cases that on_reported has told of. Of a batch on which a worker died there is none.
  virtual void on_ratios(const Ratios& /*ratios*/) {}
  /// Tuples whose count rose by `cases` further cases (Coverage::take_news), if the workers were asked for coverage.
  /// Of a batch on which a worker died there is none.
  virtual void on_coverage(std::span<const uint32_t> /*news*/, uint64_t /*cases*/) {}
  virtual void on_death(const WorkerDeath& death) = 0;
  /// Whether a case is to be handed out again after somebody else killed its worker, instead of becoming a death.
  virtual bool wants_again(uint64_t /*index*/) { return false; }
  /// Who is spared which cases from now on; asked when a worker is seated.
  virtual examine::SparedKinds spared() const { return {}; }
  /// Several times a second. kFinish: hand out no more; kAbort: kill the workers now.
  virtual Next on_tick(const Counts&) { return Next::kContinue; }
};

struct SupervisorSettings {
  WorkerSettings worker;
  int jobs = 1;
  std::chrono::milliseconds timeout{10'000};       // of one call of an implementation
  const std::atomic<bool>* interrupted = nullptr;  // set by a signal handler: kill the workers and return
  std::string program = run::kThisProgram;         // of the workers
  std::string command = "worker";                  // of that program
};

/// Workers that outlive one piece of work: for an assignment that gets new work after it was done.
class Supervisor {
 public:
  Supervisor(Assignment& assignment, const SupervisorSettings& settings);
  ~Supervisor();  // kills the workers

  /// Works until the assignment has no more to do. Throws UsageError or CannotJudge if the workers cannot start.
  Counts work();

 private:
  std::unique_ptr<class Supervision> supervision_;
};

/// The same, once.
Counts supervise(Assignment& assignment, const SupervisorSettings& settings);

}  // namespace convict::workers

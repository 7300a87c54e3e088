// SPDX-License-Identifier: Apache-2.0
//
// Looks after the workers of one task, one step at a time, and never waits for them.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/verdict.h"
#include "run/worker_process.h"
#include "workers/answers.h"
#include "workers/fork_servers.h"
#include "workers/messages.h"
#include "workers/supervision_settings.h"
#include "workers/worker_slot.h"

namespace convict::workers {

/// How the starts and the ends of workers went so far: whether more should be started, and how.
class StartRecord {
 public:
  void note_loaded() { failed_loads_ = 0; }
  /// Whether to start another worker after one that says it cannot load. `any_has_loaded`: one could before.
  bool may_load_later(bool any_has_loaded) const;
  /// A worker has ended while it loaded; `killed_for`: we killed it. Throws UsageError where no other will do better.
  void note_failed_load(const WorkerSlot& slot, const run::WorkerExit& exit, std::optional<Verdict> killed_for,
                        bool any_has_loaded, const SupervisionSettings& settings);
  /// A worker that had loaded has ended. Throws CannotJudge if worker after worker ends in our own code before its
  /// first case: no case will ever be judged.
  void note_end(const WorkerSlot& slot, std::optional<Verdict> killed_for, uint64_t memory);
  /// Takes from the settings of the next worker what it need not know, or has not the memory for.
  void adapt(WorkerSettings& next) const;

 private:
  int failed_loads_ = 0, useless_ = 0;  // in a row
  uint64_t last_life_ = UINT64_MAX;     // cases of the worker that ended last
  bool fills_memory_ = true;
};

/// The task that awaits the answers of workers, one after the other.
class WaitingTask {
 public:
  /// From now on the task waits for the next answer.
  void wait(std::coroutine_handle<> waiting) { waiting_ = waiting; }
  bool waits() const { return static_cast<bool>(waiting_); }
  /// The answer for which it was resumed. Throws what ended the answers.
  std::optional<Answer> take() {
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, {}));
    return std::exchange(answer_, std::nullopt);
  }

  /// Resumes the task, which has dealt with the answer when this returns, and awaits the next one or is gone.
  void give(Answer answer) {
    if (!waits()) return;
    answer_ = std::move(answer);
    std::exchange(waiting_, {}).resume();
    if (!waits() && !is_gone_) throw std::logic_error("a task awaits something else than its workers' next answer");
  }
  /// Tells it that there are no more answers, or throws this there.
  void end(std::exception_ptr thrown) {
    thrown_ = std::move(thrown);
    answer_.reset();
    if (waits()) std::exchange(waiting_, {}).resume();
  }
  /// The task gets no answers any more.
  void drop() { waiting_ = {}, is_gone_ = true; }

 private:
  std::coroutine_handle<> waiting_;
  std::optional<Answer> answer_;
  std::exception_ptr thrown_;
  bool is_gone_ = false;
};

class Supervision {
 public:
  explicit Supervision(const SupervisionSettings& settings) : settings_(settings) {}

  // What Workers hands on.
  void put(Assigned work);
  uint64_t wants() const;
  void expect_more(bool expects) { asked_for_.more = expects; }
  void finish();
  void stop() { asked_for_.stop = true; }
  void recall() { asked_for_.recall = true; }
  Counts counts() const;

  /// The task that gets the answers.
  WaitingTask& task() { return task_; }

  /// Takes what the workers have sent, gives answers, replaces those that died, and hands out work. Returns false when
  /// there is nothing more to do; the next call begins anew, with the same workers. Throws UsageError or CannotJudge if
  /// they cannot start.
  bool step();
  bool has_begun() const { return state_ != State::kOver; }

  /// Adds the processes that may send something, for poll().
  void listen(std::vector<run::WorkerProcess*>& processes);

  /// Stops all workers, or lets them go on.
  void pause();
  void go_on();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State {
    kOver,  // not begun, or at its end
    kRuns,
    kHandsOut  // the task may put work now, which workers get at once
  };

  ForkServers& fork_servers() { return settings_.fork_servers ? *settings_.fork_servers : own_servers_; }
  void begin();
  bool end();
  void fill_slots();
  std::unique_ptr<WorkerSlot> new_slot();
  uint64_t batch_size(const WorkerSlot& slot) const;
  WorkerSlot* one_with_too_little() const;
  void hand_out();
  void recall_now();
  bool all_idle() const;

  void attend(std::unique_ptr<WorkerSlot>& slot);
  void take_lines(WorkerSlot& slot);
  bool is_as_before(const std::vector<RosterEntry>& roster) const;
  // Each returns false if this is not what a worker says at this moment.
  bool on_report(WorkerSlot& slot, const Loaded& loaded);
  bool on_report(WorkerSlot& slot, const NotLoaded& failure);
  template <class OfOneCase>
  bool on_report(WorkerSlot& slot, const OfOneCase& report);
  bool on_report(WorkerSlot& slot, const Surveyed& surveyed);
  bool on_report(WorkerSlot& slot, const Done& done);
  bool on_report(WorkerSlot& slot, const CaseMismatches& found);
  void report(WorkerSlot& slot, uint64_t end);
  void report_counted(WorkerSlot& slot);
  void dismiss(WorkerSlot& slot);
  void on_roster(const Loaded& loaded);

  std::optional<Verdict> exceeded(WorkerSlot& slot) const;
  void replace_dead(std::unique_ptr<WorkerSlot>& slot, std::optional<Verdict> killed_for);

  const SupervisionSettings settings_;
  WaitingTask task_;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;  // null: while its libraries are loaded
  std::vector<RosterEntry> roster_;
  ForkServers own_servers_;
  Backlog backlog_;
  StartRecord starts_;
  Counts past_;  // of workers that died
  Clock::time_point started_ = Clock::now();
  State state_ = State::kOver;
  bool is_paused_ = false;
  struct {
    bool more = false;  // there may be work later
    bool finish = false, stop = false, recall = false;
  } asked_for_;  // by the task
};

}  // namespace convict::workers

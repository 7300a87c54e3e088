// SPDX-License-Identifier: Apache-2.0
//
// A supervisor at work, one step at a time: looks after its workers, and never waits for them.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/answers.h"
#include "workers/counts.h"
#include "workers/fork_servers.h"
#include "workers/supervisor_settings.h"
#include "workers/worker_slot.h"

namespace convict::workers {

class Supervision {
 public:
  explicit Supervision(const SupervisorSettings& settings) : settings_(settings) {}

  // As Workers has them.
  void put(Assigned work);
  uint64_t wants() const;
  void expect_more(bool expects) { expects_more_ = expects; }
  void finish();
  void stop() { stops_ = true; }
  void return_work() { takes_back_ = true; }
  Counts counts() const;

  /// The task that gets the next answer.
  void wait(std::coroutine_handle<> waiting) { waiting_ = waiting; }
  /// The answer for which it was resumed. Throws what ended the answers.
  std::optional<Answer> take_answer();
  /// No task gets answers any more.
  void drop() { waiting_ = {}, is_dropped_ = true; }

  /// Takes what the workers have sent, gives answers, replaces those that died, and hands out work. Returns false when
  /// there is nothing more to do; the next call begins anew, with the same workers. Throws UsageError or CannotJudge if
  /// they cannot start.
  bool step();
  bool has_begun() const { return has_begun_; }
  /// Tells the task that waits that there are no more answers, or throws this there.
  void end_answers(std::exception_ptr thrown);

  /// Adds the processes that may have sent something.
  void listen(std::vector<run::WorkerProcess*>& processes);

  /// Stops all workers, or lets them go on.
  void pause();
  void go_on();

 private:
  using Clock = std::chrono::steady_clock;

  ForkServers& fork_servers() { return settings_.fork_servers ? *settings_.fork_servers : own_servers_; }
  void begin();
  bool end();
  void fill_slots();
  std::unique_ptr<WorkerSlot> new_slot();
  void answer(Answer answer);
  uint64_t batch_size(const WorkerSlot& slot) const;
  WorkerSlot* one_with_too_little() const;
  void hand_out();
  void take_back();
  bool all_idle() const;

  void attend(std::unique_ptr<WorkerSlot>& slot);
  void take_lines(WorkerSlot& slot);
  bool is_as_before(const std::vector<RosterEntry>& roster) const;
  // Each returns false if this is not what a worker says at this moment.
  bool on_report(WorkerSlot& slot, const Loaded& loaded);
  bool on_report(const WorkerSlot& slot, const NotLoaded& failure);
  bool on_report(WorkerSlot& slot, const CaseReport& report);
  bool on_report(WorkerSlot& slot, const LayerReport& report);
  template <class OfOneCase>
  bool pass_on(WorkerSlot& slot, const OfOneCase& report);
  bool on_report(WorkerSlot& slot, const Surveyed& surveyed);
  bool on_report(WorkerSlot& slot, const Done& done);
  bool on_report(WorkerSlot& slot, const MismatchReport& found);
  void report(WorkerSlot& slot, uint64_t end);
  void report_counted(WorkerSlot& slot);
  void dismiss(WorkerSlot& slot);
  void on_roster(const Loaded& loaded);

  std::optional<Verdict> exceeded(WorkerSlot& slot) const;
  void replace_dead(std::unique_ptr<WorkerSlot>& slot, std::optional<Verdict> killed_for);
  void check_load(const WorkerSlot& slot, const run::WorkerExit& exit, bool killed);
  void check_progress(const WorkerSlot& slot, std::optional<Verdict> killed_for);
  void put_again(std::deque<Assigned>& left, const WorkerDeath& death, uint64_t reported);

  const SupervisorSettings settings_;
  std::coroutine_handle<> waiting_;
  std::optional<Answer> answer_;
  std::exception_ptr thrown_;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;  // null: while its libraries are loaded
  std::vector<RosterEntry> roster_;
  ForkServers own_servers_;
  std::deque<Assigned> to_do_;
  std::map<uint64_t, int> kills_;  // by foreign processes, by index
  Counts past_;                 // of workers that died
  Clock::time_point started_ = Clock::now();
  int failed_loads_ = 0, barren_ = 0;  // in a row
  uint64_t last_life_ = UINT64_MAX;    // cases of the worker that died last
  bool has_begun_ = false, finishing_ = false, stops_ = false, takes_back_ = false, rests_ = false;
  bool expects_more_ = false, hands_out_ = false, is_dropped_ = false, fills_memory_ = true;
};

}  // namespace convict::workers

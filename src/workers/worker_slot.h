// SPDX-License-Identifier: Apache-2.0
//
// One of the workers of a supervisor: its process, and the work it has been given.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/worker_process.h"
#include "workers/messages.h"

namespace convict::workers {

/// Work with the order for it.
struct Assigned {
  Work work;
  Order order;       // with the same numbers of cases
  size_t bytes = 0;  // of the order as a line, once it is sent
};

/// Where the case stands in the work.
inline uint64_t position_in(const Work& work, uint64_t index) { return (index - work.first) / work.step; }

/// Cases `begin` to `end` - 1 of a work, counted from its first one.
Work part_of(const Work& work, uint64_t begin, uint64_t end);
Assigned part_of(const Assigned& one, uint64_t begin, uint64_t end);

/// Work that no worker has yet.
class Backlog {
 public:
  bool is_empty() const { return works_.empty(); }
  void put(Assigned work) { works_.push_back(std::move(work)); }
  /// Precondition: !is_empty().
  Assigned take() {
    Assigned first = std::move(works_.front());
    works_.pop_front();
    return first;
  }
  std::deque<Assigned> take_all() { return std::exchange(works_, {}); }

  /// Puts what is left of the work of a dead process before all other work. `left`: what it had, in front the work that
  /// it died of, on case `index`, after `reported` cases of it. A case that foreign processes have killed at most
  /// `most_kills` times comes again, and nothing is told of its death. Returns whether the death has to be told.
  bool put_again(std::deque<Assigned> left, uint64_t index, uint64_t reported, bool from_outside, int most_kills);

 private:
  std::deque<Assigned> works_;
  std::map<uint64_t, int> kills_;  // by foreign processes, by the index of the case
};

/// The time that a call is charged with. Wall time convicts the innocent on a busy machine, and CPU time never ends for
/// a deadlock. So: while a thread of the process runs or waits for a CPU, the CPU time it gets; while all of its
/// threads sleep, or a signal has stopped them, wall time; while a debugger has, nothing. A terminal stops us as well.
class CallClock {
 public:
  using Duration = std::chrono::nanoseconds;

  /// What the present call, or our own work between two calls, has been charged with since it was first seen.
  Duration charged(const run::WorkerProcess& process) {
    const CallState state = state_of(process.record());
    const auto now = Clock::now();
    if (state != state_) {
      state_ = state;
      looked_ = now;
      cpu_ = process.cpu_time();
      charged_ = {};
    } else if (now - looked_ >= kLeastGap) {
      charge(process, now);
    }
    return charged_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Duration kLeastGap = std::chrono::milliseconds(20);  // to look more often costs more than it tells
  // A longer gap between two looks is no evidence of sleep: the supervisor may have been stopped as well.
  static constexpr Duration kLongestGap = std::chrono::milliseconds(500);

  /// What distinguishes one call from the next.
  struct CallState {
    uint64_t index = 0;
    int32_t implementation = run::FlightRecord::kOwnCode;
    int64_t entered_ns = 0;
    bool operator==(const CallState&) const = default;
  };
  static CallState state_of(const run::FlightRecord& record) {
    return {record.index, record.implementation, record.entered_ns};
  }

  void charge(const run::WorkerProcess& process, Clock::time_point now) {
    const Duration wall = now - looked_, cpu = process.cpu_time() - cpu_;
    const bool sleeps = process.activity() == run::WorkerProcess::Activity::kSleeps;
    charged_ += sleeps && wall < kLongestGap ? wall : std::min(wall, cpu);
    looked_ = now;
    cpu_ += cpu;
  }

  CallState state_;
  Clock::time_point looked_ = Clock::now();
  Duration cpu_{0}, charged_{0};
};

class WorkerSlot {
 public:
  /// Sends the settings to a process that waits for them.
  WorkerSlot(std::unique_ptr<run::WorkerProcess> process, const WorkerSettings& settings)
      : process_(std::move(process)) {
    process_->send(to_line(settings));
  }

  run::WorkerProcess& process() { return *process_; }
  const run::WorkerProcess& process() const { return *process_; }
  /// Under way, and waiting behind it.
  const std::deque<Assigned>& assigned() const { return assigned_; }
  bool is_idle() const { return assigned_.empty(); }
  /// What it works on. Precondition: !is_idle().
  const Work& work() const { return assigned_.front().work; }

  void give(Assigned one) {
    const std::string line = to_line(one.order);
    one.bytes = line.size();
    assigned_.push_back(std::move(one));
    process_->send(line);
  }
  /// Of orders that are not carried out yet: they must fit in the pipe, or the supervisor waits for the worker.
  size_t bytes_ahead() const {
    return std::accumulate(assigned_.begin(), assigned_.end(), size_t{0},
                           [](size_t sum, const Assigned& one) { return sum + one.bytes; });
  }

  /// As WorkerProcess::receive().
  bool receive() { return open_ = process_->receive(); }
  /// Whether anything may still arrive: the pipe had a writer when it was last read.
  bool listens() const { return open_; }
  /// It has loaded everything.
  void note_ready() { loading_ = Clock::now() - started_; }
  bool is_ready() const { return loading_.has_value(); }
  /// What it took to begin; 0 if it has not.
  double loading_seconds() const {
    return std::chrono::duration<double>(loading_.value_or(Clock::duration(0))).count();
  }
  uint64_t reach = 1;           // cases that it can look ahead
  bool sane = true;             // what it has sent so far were messages
  bool keeps_too_much = false;  // after the work in front
  struct Told {
    uint64_t cases = 0;              // of the work in front
    PerCounter<uint64_t> last = {};  // what the last of them adds to the tally, if it had mismatches
  } reported;

  /// Ends the work in front: it becomes history.
  void finish_work() {
    history_.push_back(work());
    if (history_.size() > kLongestHistory) history_.pop_front();
    assigned_.pop_front();
    reported = {};
  }

  /// What this process had done before this case of the work in front, the last at the end. `index` may be that behind
  /// the last case.
  std::vector<Work> before(uint64_t index) const {
    std::vector<Work> all(history_.begin(), history_.end());
    if (const Work& now = work(); index != now.first)
      all.push_back({now.first, (index - now.first) / now.step, now.step});
    return all;
  }

  /// Asked when a work is done: a short one begins and ends between two looks of the supervisor.
  bool keeps_more_than(uint64_t bytes) const { return process_->record().weighs && process_->kept_bytes() > bytes; }

  /// The same between two messages, where it is weighed now and then: that reads a dozen files of /proc.
  bool has_grown_beyond(uint64_t bytes) {
    const Clock::time_point now = Clock::now();
    if (now - weighed_ < kBetweenWeighings) return false;
    weighed_ = now;
    return process_->kept_bytes() > bytes;
  }

  /// The time that the present call, or our own work, is charged with.
  CallClock::Duration charged() { return clock_.charged(*process_); }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kLongestHistory = 16;  // batches
  static constexpr std::chrono::milliseconds kBetweenWeighings{50};

  std::unique_ptr<run::WorkerProcess> process_;
  std::deque<Assigned> assigned_;
  std::deque<Work> history_;
  CallClock clock_;
  bool open_ = true;
  Clock::time_point started_ = Clock::now(), weighed_ = {};
  std::optional<Clock::duration> loading_;
};

}  // namespace convict::workers

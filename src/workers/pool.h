// SPDX-License-Identifier: Apache-2.0
//
// Everything that runs foreign code for one thread: supervisors and their workers, in one poll(). Who needs an answer
// of a supervisor to go on is a task that waits for it, so that nobody holds up anybody else.
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <list>
#include <set>
#include <string>
#include <utility>

#include "core/task.h"
#include "workers/assignment.h"
#include "workers/supervisor_settings.h"

namespace convict::workers {

class Supervision;

/// Whether time or memory is the charge, which neighbours may have caused.
constexpr bool is_of_cost(Verdict verdict) { return verdict == Verdict::kHang || verdict == Verdict::kOom; }

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// What a task awaits: that a supervision is over. Throws what it throws.
  class Running {
   public:
    Running(Pool& pool, Supervision& supervision) : pool_(pool), supervision_(supervision) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { pool_.running_.remove(this); }

    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> waiting);
    void await_resume() const;

   private:
    friend class Pool;
    Pool& pool_;
    Supervision& supervision_;
    std::coroutine_handle<> waiting_;
    std::exception_ptr thrown_;
    bool has_begun_ = false, is_over_ = false;
  };
  Running run(Supervision& supervision) { return {*this, supervision}; }

  /// One at a time of those of the same suspect; `alone`: while nobody else has a turn, and all other workers rest,
  /// because neighbours cost a call time and memory.
  class Turn {
   public:
    Turn(Pool& pool, std::string suspect, bool alone) : pool_(&pool), suspect_(std::move(suspect)), alone_(alone) {}
    Turn(Turn&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), suspect_(other.suspect_), alone_(other.alone_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (pool_) pool_->give_back(suspect_, alone_);
    }

   private:
    Pool* pool_;
    std::string suspect_;
    bool alone_;
  };
  class AwaitedTurn {
   public:
    AwaitedTurn(Pool& pool, std::string suspect, bool alone) : pool_(pool), suspect_(std::move(suspect)), alone_(alone) {}
    AwaitedTurn(const AwaitedTurn&) = delete;
    AwaitedTurn& operator=(const AwaitedTurn&) = delete;
    ~AwaitedTurn();

    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> waiting);
    Turn await_resume();

   private:
    friend class Pool;
    Pool& pool_;
    std::string suspect_;
    bool alone_, has_turn_ = false;
    std::coroutine_handle<> waiting_;
    std::list<AwaitedTurn*>::iterator place_;  // in the queue, if is_queued_
    bool is_queued_ = false;
  };
  AwaitedTurn turn(std::string suspect, bool alone) { return {*this, std::move(suspect), alone}; }

  /// Waits until something has come, at most so long, and has everybody work on it.
  void step(std::chrono::milliseconds timeout);

  /// Runs a task to its end.
  template <class T>
  T finish(Task<T> task) {
    task.start();
    while (!task.is_done()) step(kTick);
    return task.result();
  }

  static constexpr std::chrono::milliseconds kTick{50};

 private:
  bool may_begin(const AwaitedTurn& one) const;
  void begin(AwaitedTurn& one);
  void give_back(const std::string& suspect, bool alone);
  void await_news(std::chrono::milliseconds timeout) const;
  static void work(Running& one);
  bool resume_one_that_is_over();
  bool resume_one_whose_turn_it_is();

  std::list<Running*> running_;
  std::list<AwaitedTurn*> queue_;  // in the order in which they asked
  std::set<std::string> suspects_;    // of those who have a turn
  bool one_is_alone_ = false;
};

/// As supervise(), for a task.
Task<Counts> supervised(Pool& pool, Assignment& assignment, SupervisorSettings settings);

}  // namespace convict::workers

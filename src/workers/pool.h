// SPDX-License-Identifier: Apache-2.0
//
// Everything that runs foreign code for one thread, in one poll(). Who needs an answer of workers (workers.h) to go on
// is a task that waits for it, so that nobody holds up anybody else.
#pragma once

#include <chrono>
#include <coroutine>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/task.h"
#include "core/verdict.h"

namespace convict::workers {

class Supervision;

/// Whether time or memory is the charge, which neighbours may have caused.
constexpr bool is_of_cost(Verdict verdict) { return verdict == Verdict::kHang || verdict == Verdict::kOom; }

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Somebody awaits answers of this supervision, until it is over.
  void add(const std::shared_ptr<Supervision>& supervision);
  void remove(const Supervision& supervision);

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
    AwaitedTurn(Pool& pool, std::string suspect, bool alone)
        : pool_(pool), suspect_(std::move(suspect)), alone_(alone) {}
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
  void work(const std::shared_ptr<Supervision>& one);
  bool resume_one_whose_turn_it_is();

  std::list<std::shared_ptr<Supervision>> running_;
  std::list<AwaitedTurn*> queue_;  // in the order in which they asked
  std::set<std::string> suspects_;    // of those who have a turn
  bool one_is_alone_ = false;
};

/// Tasks that nobody waits for: each tells those who want to know, at its end.
class Trials {
 public:
  void start(Task<void> trial) {
    trials_.push_back(std::move(trial));
    trials_.back().start();
  }
  bool empty() const { return trials_.empty(); }
  size_t size() const { return trials_.size(); }

  /// Throws what one of them has thrown.
  void drop_finished() {
    for (auto one = trials_.begin(); one != trials_.end();) {
      if (one->is_done()) {
        one->result();
        one = trials_.erase(one);
      } else {
        ++one;
      }
    }
  }
  void drop_all() { trials_.clear(); }

 private:
  std::list<Task<void>> trials_;
};

}  // namespace convict::workers

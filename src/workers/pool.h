// SPDX-License-Identifier: Apache-2.0
//
// All supervisions of one thread with their workers, in one poll(). Code that needs an answer of workers is a task that
// awaits it, so that no task holds up another.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/task.h"
#include "workers/answers.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

class Supervision;

class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// From now on step() has this supervision work, until it is over. A task awaits its answers.
  void add(const std::shared_ptr<Supervision>& supervision);
  void remove(const Supervision& supervision);

  /// The right to put a suspect on trial, one at a time for the same suspect. `alone`: no other suspect has a turn
  /// meanwhile, and all other workers rest, because neighbours cost a call time and memory.
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

  /// Waits until a worker has written something, at most so long; then each supervision does a step.
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
  std::list<AwaitedTurn*> queue_;   // in the order in which they asked
  std::set<std::string> suspects_;  // that have a turn
  bool one_is_alone_ = false;
};

/// Tasks that run beside each other: lanes of a campaign, or trials. None is awaited: each writes what came of it where
/// it belongs.
class Tasks {
 public:
  void start(Task<void> task) {
    tasks_.push_back(std::move(task));
    tasks_.back().start();
  }
  bool empty() const { return tasks_.empty(); }
  size_t size() const { return tasks_.size(); }

  /// Throws what one of them has thrown.
  void drop_finished() {
    for (auto one = tasks_.begin(); one != tasks_.end();) {
      if (one->is_done()) {
        one->result();
        one = tasks_.erase(one);
      } else {
        ++one;
      }
    }
  }
  void drop_all() { tasks_.clear(); }

 private:
  std::list<Task<void>> tasks_;
};

/// Runs work on several workers and replaces each that dies; a death costs one case.
///
///     Workers workers(pool, settings);
///     workers.put(work);
///     while (const auto answer = co_await workers.next()) ...
///
/// Deal with an answer before you await anything else.
class Workers {
 public:
  Workers(Pool& pool, const SupervisionSettings& settings);
  Workers(Workers&&) noexcept = default;
  Workers& operator=(Workers&&) = delete;
  ~Workers();  // kills them

  /// To be done, after what was put before. The cases of the work are numbered as the order says.
  void put(const Work& work, Order order);
  void put(const Work& work) { put(work, Order(work)); }

  /// About how many cases the worker with the least work wants; 0 if none wants any.
  uint64_t wants() const;

  /// Whether there may be work later, though there is none. Then next() goes on giving ticks.
  void expect_more(bool expects);
  /// Hand out no more work, and leave out cases that are not begun.
  void finish();
  /// Takes back what has not been reported, but for given cases: it comes as Recalled. Work that is under way is
  /// broken off.
  void recall();
  /// Kill the workers now. What they have told still comes.
  void stop();

  /// What a task awaits: the next answer. Nullopt: there is nothing more to do; the next call begins anew, with the
  /// same workers. Throws UsageError or CannotJudge if they cannot start.
  class Next {
   public:
    explicit Next(Workers& workers) : workers_(workers) {}
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> waiting);
    std::optional<Answer> await_resume();

   private:
    Workers& workers_;
  };
  Next next() { return Next(*this); }

  Counts counts() const;

 private:
  Pool* pool_;
  std::shared_ptr<Supervision> supervision_;
};

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
//
// Workers of one task: takes work, and gives answers.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/task.h"
#include "workers/answers.h"
#include "workers/pool.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

class Supervision;

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

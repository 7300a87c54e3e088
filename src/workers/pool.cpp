// SPDX-License-Identifier: Apache-2.0
#include "workers/pool.h"

#include <poll.h>

#include <algorithm>
#include <vector>

#include "workers/supervision.h"

namespace convict::workers {
namespace {

constexpr size_t kMostTurns = 2;  // at once: what they run takes processors from those who are on trial

}  // namespace

void Pool::Running::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  pool_.running_.push_back(this);
}

void Pool::Running::await_resume() const {
  if (thrown_) std::rethrow_exception(thrown_);
}

Pool::AwaitedTurn::~AwaitedTurn() {
  if (is_queued_) pool_.queue_.erase(place_);
  if (has_turn_) pool_.give_back(suspect_, alone_);
}

bool Pool::AwaitedTurn::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  if (pool_.queue_.empty() && pool_.may_begin(*this)) {
    pool_.begin(*this);
    return false;
  }
  place_ = pool_.queue_.insert(pool_.queue_.end(), this);
  return is_queued_ = true;
}

Pool::Turn Pool::AwaitedTurn::await_resume() {
  has_turn_ = false;
  return {pool_, suspect_, alone_};
}

bool Pool::may_begin(const AwaitedTurn& one) const {
  if (one_is_alone_ || suspects_.contains(one.suspect_)) return false;
  return one.alone_ ? suspects_.empty() : suspects_.size() < kMostTurns;
}

void Pool::begin(AwaitedTurn& one) {
  one.has_turn_ = true;
  suspects_.insert(one.suspect_);
  one_is_alone_ = one.alone_;
  if (one.alone_)
    for (Running* other : running_) other->supervision_.pause();
}

void Pool::give_back(const std::string& suspect, bool alone) {
  suspects_.erase(suspect);
  if (!alone) return;
  one_is_alone_ = false;
  for (Running* other : running_) other->supervision_.go_on();
}

void Pool::step(std::chrono::milliseconds timeout) {
  const bool is_new = std::ranges::any_of(running_, [](const Running* one) { return !one->has_begun_; });
  await_news(is_new ? std::chrono::milliseconds(0) : timeout);
  // Whoever works may end others.
  for (Running* one : std::vector<Running*>(running_.begin(), running_.end()))
    if (std::ranges::find(running_, one) != running_.end()) work(*one);
  while (resume_one_that_is_over() || resume_one_whose_turn_it_is()) {
  }
}

void Pool::await_news(std::chrono::milliseconds timeout) const {
  std::vector<run::WorkerProcess*> listened;
  for (const Running* one : running_) one->supervision_.listen(listened);
  std::vector<pollfd> pipes;
  for (const run::WorkerProcess* process : listened) pipes.push_back({process->result_fd(), POLLIN, 0});
  poll(pipes.data(), pipes.size(), static_cast<int>(timeout.count()));
}

void Pool::work(Running& one) try {
  one.has_begun_ = true;
  one.is_over_ = !one.supervision_.step();
} catch (...) {
  one.thrown_ = std::current_exception();
  one.is_over_ = true;
}

bool Pool::resume_one_that_is_over() {
  const auto found = std::ranges::find_if(running_, [](const Running* one) { return one->is_over_; });
  if (found == running_.end()) return false;
  const std::coroutine_handle<> waiting = (*found)->waiting_;
  running_.erase(found);
  waiting.resume();
  return true;
}

/// In the order in which they asked, but for those whose suspect has a turn. Whoever wants to be alone holds up those
/// behind.
bool Pool::resume_one_whose_turn_it_is() {
  for (auto one = queue_.begin(); one != queue_.end(); ++one) {
    AwaitedTurn& next = **one;
    if (!may_begin(next)) {
      if (next.alone_) return false;
      continue;
    }
    queue_.erase(one);
    next.is_queued_ = false;
    begin(next);
    next.waiting_.resume();
    return true;
  }
  return false;
}

Task<Counts> supervised(Pool& pool, Assignment& assignment, SupervisorSettings settings) {
  Supervision supervision(assignment, settings);
  co_await pool.run(supervision);
  co_return supervision.counts();
}

}  // namespace convict::workers

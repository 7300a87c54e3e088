// SPDX-License-Identifier: Apache-2.0
#include "workers/pool.h"

#include <poll.h>

#include <algorithm>
#include <vector>

#include "workers/supervision.h"

namespace convict::workers {
namespace {

constexpr size_t kMostTurns = 2;  // at once: trials take processors from the campaign

}  // namespace

void Pool::add(const std::shared_ptr<Supervision>& supervision) {
  if (std::ranges::find(running_, supervision) == running_.end()) running_.push_back(supervision);
}

void Pool::remove(const Supervision& supervision) {
  running_.remove_if([&](const auto& one) { return one.get() == &supervision; });
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
    for (const auto& other : running_) other->pause();
}

void Pool::give_back(const std::string& suspect, bool alone) {
  suspects_.erase(suspect);
  if (!alone) return;
  one_is_alone_ = false;
  for (const auto& other : running_) other->go_on();
}

void Pool::step(std::chrono::milliseconds timeout) {
  const bool is_new = std::ranges::any_of(running_, [](const auto& one) { return !one->has_begun(); });
  await_news(is_new ? std::chrono::milliseconds(0) : timeout);
  // A supervision that works may end others.
  for (const auto& one : std::vector(running_.begin(), running_.end()))
    if (std::ranges::find(running_, one) != running_.end()) work(one);
  while (resume_one_whose_turn_it_is()) {
  }
}

void Pool::await_news(std::chrono::milliseconds timeout) const {
  std::vector<run::WorkerProcess*> listened;
  for (const auto& one : running_) one->listen(listened);
  std::vector<pollfd> pipes;
  for (const run::WorkerProcess* process : listened) pipes.push_back({process->result_fd(), POLLIN, 0});
  poll(pipes.data(), pipes.size(), static_cast<int>(timeout.count()));
}

/// A supervision that is over does nothing until a task awaits its answers again.
void Pool::work(const std::shared_ptr<Supervision>& one) {
  std::exception_ptr thrown;
  try {
    if (one->step()) return;
  } catch (...) {
    thrown = std::current_exception();
  }
  running_.remove(one);
  one->task().end(thrown);
}

/// In the order in which they asked; one is passed over while its suspect has a turn. One that wants to be alone holds
/// up all behind it.
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

Workers::Workers(Pool& pool, const SupervisionSettings& settings)
    : pool_(&pool), supervision_(std::make_shared<Supervision>(settings)) {}

/// The supervision may be at work at this moment: it has just given its last answer.
Workers::~Workers() {
  if (!supervision_) return;
  supervision_->task().drop();
  pool_->remove(*supervision_);
}

void Workers::put(const Work& work, Order order) { supervision_->put({work, std::move(order)}); }
uint64_t Workers::wants() const { return supervision_->wants(); }
void Workers::expect_more(bool expects) { supervision_->expect_more(expects); }
void Workers::finish() { supervision_->finish(); }
void Workers::recall() { supervision_->recall(); }
void Workers::stop() { supervision_->stop(); }
Counts Workers::counts() const { return supervision_->counts(); }

void Workers::Next::await_suspend(std::coroutine_handle<> waiting) {
  workers_.supervision_->task().wait(waiting);
  workers_.pool_->add(workers_.supervision_);
}

std::optional<Answer> Workers::Next::await_resume() { return workers_.supervision_->task().take(); }

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
#include "workers/workers.h"

#include <utility>

#include "workers/supervision.h"

namespace convict::workers {

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

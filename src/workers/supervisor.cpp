// SPDX-License-Identifier: Apache-2.0
#include "workers/supervisor.h"

#include "workers/pool.h"
#include "workers/supervision.h"

namespace convict::workers {
namespace {

Task<Counts> worked(Pool& pool, Supervision& supervision) {
  co_await pool.run(supervision);
  co_return supervision.counts();
}

}  // namespace

Supervisor::Supervisor(Assignment& assignment, const SupervisorSettings& settings)
    : supervision_(std::make_unique<Supervision>(assignment, settings)) {}

Supervisor::~Supervisor() = default;

Counts Supervisor::work() {
  Pool pool;
  return pool.finish(worked(pool, *supervision_));
}

Counts supervise(Assignment& assignment, const SupervisorSettings& settings) {
  return Supervisor(assignment, settings).work();
}

}  // namespace convict::workers

// SPDX-License-Identifier: Apache-2.0
#include "workers/supervisor.h"

#include <algorithm>

#include "workers/pool.h"
#include "workers/supervision.h"

namespace convict::workers {
namespace {

Task<Counts> worked(Pool& pool, Supervision& supervision) {
  co_await pool.run(supervision);
  co_return supervision.counts();
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  for (const CounterRow& row : kCounters) (*this)[row.counter] += other[row.counter];
  cpu_seconds += other.cpu_seconds;
  for (size_t stage = 0; stage < stage_seconds.size(); ++stage) stage_seconds[stage] += other.stage_seconds[stage];
  const auto add = [](auto& to, const auto& from) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  add(computed, other.computed);
  add(refused, other.refused);
  add(call_seconds, other.call_seconds);
  return *this;
}

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

// SPDX-License-Identifier: Apache-2.0
#include "workers/counts.h"

#include <algorithm>

#include "run/in_stage.h"

namespace convict::workers {
namespace {

/// What the calls that a process is in have taken so far.
void add_present_calls(const run::FlightRecord& record, Counts& counts) {
  const int32_t position = record.in_calls_of;
  if (position < 0 || static_cast<size_t>(position) >= counts.call_seconds.size()) return;
  const int64_t ns = run::monotonic_ns() - record.stage_began_ns;
  counts.call_seconds[static_cast<size_t>(position)] += 1e-9 * static_cast<double>(std::max<int64_t>(ns, 0));
}

}  // namespace

Counts& Counts::operator+=(const PerCounter<uint64_t>& other) {
  for (const CounterRow& row : kCounters) (*this)[row.counter] += other[row.counter];
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  *this += static_cast<const PerCounter<uint64_t>&>(other);
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

Counts& Counts::operator+=(const run::FlightRecord& record) {
  const run::Tally& tally = record.tally;
  for (const CounterRow& row : kCounters) (*this)[row.counter] += tally[row.counter];
  cpu_seconds += 1e-9 * static_cast<double>(tally.cpu_ns);
  for (size_t stage = 0; stage < kStages.size(); ++stage)
    stage_seconds[stage] += 1e-9 * static_cast<double>(tally.stage_ns[stage]);
  for (size_t i = 0; i < computed.size(); ++i) {
    call_seconds[i] += 1e-9 * static_cast<double>(tally.call_ns[i]);
    computed[i] += tally.computed[i];
    refused[i] += tally.refused[i];
  }
  add_present_calls(record, *this);
  return *this;
}

}  // namespace convict::workers

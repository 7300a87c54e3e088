// SPDX-License-Identifier: Apache-2.0
#include "run/flight_record.h"

#include <time.h>

namespace convict::run {
namespace {

// One thread writes and another process reads now and then: no order is needed, and none is paid for.
constexpr auto kRelaxed = std::memory_order_relaxed;

/// Charges the time since the last change to the stage that ends. Returns that stage.
int32_t change(FlightRecord& record, int32_t stage) {
  const int64_t now = monotonic_ns(), began = record.stage_began_ns.load(kRelaxed);
  const int32_t ended = record.stage.load(kRelaxed);
  std::atomic<uint64_t>& total = record.tally.stage_ns[ended];
  if (began != 0) total.store(total.load(kRelaxed) + static_cast<uint64_t>(now - began), kRelaxed);
  record.stage_began_ns.store(now, kRelaxed);
  record.stage.store(stage, kRelaxed);
  return ended;
}

}  // namespace

int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

InStage::InStage(FlightRecord& record, Stage stage)
    : record_(record), outer_(change(record, static_cast<int32_t>(stage))) {}

InStage::~InStage() { change(record_, outer_); }

InCalls::InCalls(FlightRecord& record, int position)
    : record_(record),
      position_(position),
      outer_(change(record, static_cast<int32_t>(Stage::kCall))),
      began_ns_(record.stage_began_ns) {
  record.in_calls_of.store(position, kRelaxed);
}

InCalls::~InCalls() {
  record_.in_calls_of.store(FlightRecord::kOwnCode, kRelaxed);
  change(record_, outer_);
  record_.tally.call_ns[position_] +=
      static_cast<uint64_t>(record_.stage_began_ns - began_ns_);  // of the stage after it
}

}  // namespace convict::run

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/counters.h"
#include "run/flight_record.h"

namespace convict::run {

/// CLOCK_MONOTONIC, in ns.
int64_t monotonic_ns();

/// While this object lives, a worker is in this stage, and then in the one before. A stage is charged for its own time,
/// not for that of stages within it.
class InStage {
 public:
  InStage(FlightRecord& record, Stage stage);
  ~InStage();
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;

 private:
  FlightRecord& record_;
  int32_t outer_;
};

/// The same for calls of one implementation, at this position in the roster, which is charged with their time as well.
class InCalls {
 public:
  InCalls(FlightRecord& record, int position);
  ~InCalls();
  InCalls(const InCalls&) = delete;
  InCalls& operator=(const InCalls&) = delete;

 private:
  FlightRecord& record_;
  const int position_;
  int32_t outer_;
  int64_t began_ns_;
};

}  // namespace convict::run

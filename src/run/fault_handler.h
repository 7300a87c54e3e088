// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/flight_record.h"
#include "run/guarded_memory.h"

namespace convict::run {

/// Installs a handler for SIGSEGV and SIGBUS. It writes to `record` where the fault is (which tensor's guard page, or
/// an input); then the process dies. Both objects must live as long as the process.
void report_faults(const GuardedMemory& memory, FlightRecord& record);

/// Installs the handler again, in case foreign code has replaced it or the signal stack.
void keep_reporting_faults();

}  // namespace convict::run

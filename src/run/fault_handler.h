// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/flight_record.h"
#include "run/guarded_memory.h"

namespace convict::run {

/// From now on a SIGSEGV or SIGBUS of this process is classified into `record` (which tensor's guard page, or an
/// input) before the process dies of it. Both objects must live as long as the process.
void report_faults(const GuardedMemory& memory, FlightRecord& record);

/// Does so again, should foreign code have installed handlers or a signal stack of its own.
void keep_reporting_faults();

}  // namespace convict::run

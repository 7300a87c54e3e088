// SPDX-License-Identifier: Apache-2.0
//
// State that a call of foreign code must leave unchanged, because the next call depends on it: floating-point
// arithmetic (floating_point.h), what the threads of a process share (process_state.h), our descriptors, and that there
// is only one worker process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "run/flight_record.h"

namespace convict::run {

/// Called once, in a worker, before it loads anything: from then on the functions below watch this process. A child
/// that foreign code forks dies with this process; it never returns into our code, where it would send results.
void watch_process();

/// fork() for workers: the child is not taken for one that foreign code has forked.
pid_t fork_own();

/// Called in a forked worker that has got its own descriptors, which are watched from then on.
void watch_forked_process();

/// Lets other processes that want a processor go first, from now on.
void give_way();

/// In words, what has been opened since watch_process() and cannot be shared by several processes: files, or memory
/// that is shared already. Empty: nothing.
std::string newly_opened();

/// Called where code of a library has returned. Ends this process if that code has copied it: a copy shares the
/// operands and the flight record with the worker, so it may neither write to them nor decide by them.
void end_copied_process();

/// How much is looked at after a call.
enum class Care { kMemory, kAll };

/// Called after each call of a library. Puts back what all code of the process shares, and returns in words what had
/// changed, or nothing. Ends the process, with the reason in the record, if it is a forked child, if one of our
/// descriptors is gone, or if something cannot be put back. kMemory: only what takes no system call.
std::string mend_process(FlightRecord& record, Care care = Care::kAll);

/// CPU time of this process, all threads, in ns.
uint64_t cpu_ns();

/// Resident memory of this process, in bytes: now, and the most so far.
uint64_t resident_bytes();
uint64_t peak_resident_bytes();

}  // namespace convict::run

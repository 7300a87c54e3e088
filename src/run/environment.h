// SPDX-License-Identifier: Apache-2.0
//
// State that a call of foreign code must leave unchanged, because the next call depends on it: floating-point
// arithmetic, what the threads of a process share, our descriptors, and that there is only one worker process.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

#include <array>
#include <cfenv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/flight_record.h"

namespace convict::run {

/// The environment variables.
class Variables {
 public:
  Variables();   // of now
  ~Variables();  // leaves `environ` to the C library
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  bool are_as_before() const;
  void put_back();

 private:
  std::vector<std::string> wanted_;
  std::vector<std::string> shown_;  // the same, in memory that all code may write to
  std::vector<char*> table_;        // of shown_, for `environ`
};

/// A snapshot of: locale, working directory, umask, environment variables, signal mask, resource limits, priority, CPU
/// affinity and interval timers. The calling thread's, where threads differ. Measured: 3 us to compare.
class ProcessState {
 public:
  ProcessState();  // of now

  struct Changed {
    std::string what;    // in words, e.g. "the locale, the umask"; empty if nothing changed
    bool mended = true;  // it is all as before again
  };

  /// Compares with now, and puts back what differs. `in_memory`: only what takes no system call, i.e. the locale and
  /// the environment variables.
  Changed restore(bool in_memory = false);

  /// The priority shall be as it is now.
  void note_priority();

 private:
  void restore_memory(Changed& changed);
  void restore_system(Changed& changed) const;

  std::string locale_, directory_;
  mode_t umask_;
  Variables variables_;
  sigset_t signals_;
  std::array<rlimit, RLIM_NLIMITS> limits_;
  int priority_;
  cpu_set_t affinity_;
};

#if defined(__x86_64__)
/// What FNSTENV stores, and MXCSR. fegetenv() stores the same, and then loads all of it again, which takes longer.
struct FloatingPointState {
  struct {
    uint16_t control, control_end, status, status_end, tags, tags_end;
    uint32_t pointers[4];
  } x87;
  uint32_t mxcsr;
};
#else
using FloatingPointState = std::fenv_t;
#endif

/// Saves the floating-point environment of this thread: rounding, flushing, traps, and the x87 register stack, which
/// MMX code without EMMS leaves full. Measured: 0.08 us of a call's 20 us or more.
class FloatingPoint {
 public:
  FloatingPoint();

  /// Restores it. Returns what had changed, or nothing; exception flags may change.
  std::string_view restore() const;

 private:
  FloatingPointState before_;
};

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

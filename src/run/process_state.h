// SPDX-License-Identifier: Apache-2.0
//
// Process-wide state that a library call must leave unchanged: limits, locale, signal mask, environment variables and
// the like.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

namespace convict::run {

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

}  // namespace convict::run

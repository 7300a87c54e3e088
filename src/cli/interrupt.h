// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace convict::cli {

namespace detail {

struct Interrupted {
  std::atomic<bool> asked{false};
  std::atomic<int> by{0};  // the first signal
  std::atomic<int64_t> at_ns{0};
};

/// A signal handler reaches nothing but statics.
inline Interrupted& interruption() {
  static Interrupted one;
  return one;
}

/// Who sends a signal to a process and to its group, as timeout(1) does, sends it twice: within a second, a second
/// signal of the same kind is the first one again. Any other ends the process at once.
inline void on_interrupting_signal(int number) {
  Interrupted& one = interruption();
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (int none = 0; one.by.compare_exchange_strong(none, number)) {
    one.at_ns = ns;
    one.asked = true;
    return;
  }
  const int64_t first = one.at_ns;  // 0: another thread is about to write it
  if (number == one.by && (first == 0 || ns - first < 1'000'000'000)) return;
  signal(number, SIG_DFL);
  raise(number);  // it takes effect once this handler has returned
}

}  // namespace detail

/// True once the user or the system asked this process to end (SIGINT, SIGTERM, or SIGHUP unless it is ignored, as
/// under nohup). The first call installs the handler. A second signal ends the process at once.
inline const std::atomic<bool>& interrupted() {
  static const bool installed = [] {
    detail::interruption();  // before a signal needs it
    struct sigaction action {};
    action.sa_handler = detail::on_interrupting_signal;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
    return true;
  }();
  (void)installed;
  return detail::interruption().asked;
}

}  // namespace convict::cli

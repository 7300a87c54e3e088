// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace convict::cli {

/// True once the user or the system asked this process to end (SIGINT, SIGTERM). The first call installs the handler. A
/// second signal ends the process at once.
inline const std::atomic<bool>& interrupted() {
  static std::atomic<bool> flag{false};  // a signal handler reaches nothing but statics
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = [](int) { flag = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  (void)installed;
  return flag;
}

}  // namespace convict::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>

namespace convict::cli {

/// True once the user or the system asked this process to end (SIGINT, SIGTERM, or SIGHUP unless it is ignored, as
/// under nohup). The first call installs the handler. A second signal ends the process at once.
inline const std::atomic<bool>& interrupted() {
  static std::atomic<bool> flag{false};  // a signal handler reaches nothing but statics
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = [](int) { flag = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
    return true;
  }();
  (void)installed;
  return flag;
}

}  // namespace convict::cli

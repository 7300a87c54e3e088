// SPDX-License-Identifier: Apache-2.0
//
// Events that plugins of tests/plugins report to a test while convict runs them, and a gate where they wait for it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/command.h"

namespace convict::test {

/// The other end of tests/plugins/events.h. Calls are told by `tells` of tells.so, `hangs` of faulty.so and
/// `ignores-and-hangs` of rude.so, and by slow_to_load.so while it is loaded; at the gate wait `tells` and
/// slow_to_load.so. For one command: what another one told must not be taken for news.
class PluginEvents {
 public:
  PluginEvents();
  PluginEvents(const PluginEvents&) = delete;
  PluginEvents& operator=(const PluginEvents&) = delete;
  ~PluginEvents();

  /// Environment variables for a command whose plugins report events, or also wait at the gate.
  std::vector<std::string> told() const { return {"CONVICT_TEST_ENTERED=" + folder_.file("entered")}; }
  std::vector<std::string> told_and_waiting() const;

  /// Waits until a process reports a call; returns its id, or nullopt if the command ends before.
  std::optional<pid_t> next(Command& command) const;

  /// Waits until `count` processes have reported a call; returns fewer if the command ends before.
  std::set<pid_t> processes(Command& command, size_t count) const;

  /// Lets `calls` calls pass the gate.
  void let_pass(size_t calls) const;

  /// Lets `calls` calls pass the gate, then waits until the next one stops there: from then on a worker is blocked.
  /// Returns false if the command ends before.
  bool stop_after(Command& command, size_t calls) const;

 private:
  TemporaryDirectory folder_;
  int entered_ = -1, gate_ = -1;
};

}  // namespace convict::test

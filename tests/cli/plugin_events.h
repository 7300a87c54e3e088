// SPDX-License-Identifier: Apache-2.0
//
// What plugins of tests/plugins tell a test while convict runs them, and where they wait for it.
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

  /// Variables for the command whose plugins tell, or wait as well.
  std::vector<std::string> told() const { return {"CONVICT_TEST_ENTERED=" + folder_.file("entered")}; }
  std::vector<std::string> told_and_waiting() const;

  /// Waits until a process has told of a call, and says which one; nothing if the command ends before.
  std::optional<pid_t> next(Command& command) const;

  /// Waits until so many processes have told of a call; fewer if the command ends before.
  std::set<pid_t> processes(Command& command, size_t count) const;

  /// Lets so many calls pass the gate.
  void let_pass(size_t calls) const;

  /// Lets so many calls pass the gate, and waits until another one is there: from then on a worker does nothing. False
  /// if the command ends before.
  bool stop_after(Command& command, size_t calls) const;

 private:
  TemporaryDirectory folder_;
  int entered_ = -1, gate_ = -1;
};

}  // namespace convict::test

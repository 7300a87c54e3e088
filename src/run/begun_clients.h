// SPDX-License-Identifier: Apache-2.0
//
// The clients of a roster. They are begun together and heard afterwards, so that they import side by side.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run/subject.h"

namespace convict::run {

class BegunClients {
 public:
  explicit BegunClients(KeeperAddress keeper = {}) : keeper_(std::move(keeper)) {}

  /// Starts these, in an order that is the same for all workers: the first clients of two commands, each begun by
  /// another worker, do not wait for each other. A plugin is a command, or a client of ours (core/plugin_name.h);
  /// others are passed over. Throws UsageError if no client has the name.
  void begin(std::vector<std::string> plugins);

  /// The implementations of one, which is begun now if it was not. Waits until it has said what it has. Throws
  /// UsageError, CannotJudge if it is ours and not installed. Precondition: is_client(plugin).
  std::vector<Subject> take(const std::string& plugin);

 private:
  const KeeperAddress keeper_;
  std::map<std::string, std::shared_ptr<ProcessTarget>> begun_;  // by plugin
};

}  // namespace convict::run

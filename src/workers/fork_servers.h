// SPDX-License-Identifier: Apache-2.0
//
// The fork servers of one or several supervisions (run/fork_server.h): one for each set of libraries that their workers
// load.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/verdict.h"
#include "run/fork_server.h"
#include "workers/supervision_settings.h"

namespace convict::workers {

/// Belongs to one thread: a server dies with the thread that has started it.
class ForkServers {
 public:
  ForkServers();
  ForkServers(const ForkServers&) = delete;
  ForkServers& operator=(const ForkServers&) = delete;
  ~ForkServers();  // kills them; their workers live on

  /// Begins to load what workers with these settings load, unless that was done before.
  void start(const SupervisionSettings& settings);

  /// Whether workers can be forked, or have to be spawned, or that is not known yet. kHangs: what they load did, and
  /// they have to be spawned.
  enum class State { kLoading, kSettled, kHangs };
  State state(const SupervisionSettings& settings);

  /// Adds the processes of servers that are still loading.
  void listen(std::vector<run::WorkerProcess*>& processes);

  /// Whether a worker that is forked knows focus and shares of the settings already (WorkerSettings::keeps_sampling):
  /// they are long, and half of what it takes to begin.
  bool knows_sampling(const SupervisionSettings& settings);

  /// A worker process that waits for its settings. nullptr: it must be spawned, because nothing was started, is ready
  /// or can be forked.
  std::unique_ptr<run::WorkerProcess> fork(const SupervisionSettings& settings);

  /// From now on, workers that load this plugin are started: a copy does wrong what a process does right.
  void forbid(const std::string& plugin) {
    if (forbidden_.insert(plugin).second) news_.push_back(plugin);
  }
  /// Those since the last call.
  std::vector<std::string> take_forbidden() { return std::exchange(news_, {}); }

  /// What a suspect is charged with, in processes with this allocator.
  struct Charge {
    std::string suspect;
    Verdict verdict;
    std::string heap_guard;
    auto operator<=>(const Charge&) const = default;
  };
  /// Whether it was found guilty of that in a process that was not forked; notes that.
  bool is_proved(const Charge& charge) const { return proved_.contains(charge); }
  void prove(const Charge& charge) { proved_.insert(charge); }

 private:
  struct Server;
  Server* find(const SupervisionSettings& settings);
  bool may_fork(const SupervisionSettings& settings) const;

  std::map<std::string, Server> servers_;  // by what they have loaded
  uint64_t uses_ = 0;
  std::set<Charge> proved_;
  std::set<std::string> forbidden_;
  std::vector<std::string> news_;  // of forbidden_
};

/// A worker process that is not forked, with the allocator of the settings. It waits for its settings, too.
std::unique_ptr<run::WorkerProcess> spawn_worker(const SupervisionSettings& settings);

}  // namespace convict::workers

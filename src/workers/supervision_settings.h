// SPDX-License-Identifier: Apache-2.0
//
// How the workers of one task are started, watched and ended, and what they are told.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "run/worker_process.h"
#include "workers/messages.h"

namespace convict::workers {

class ForkServers;

/// Of the program: runs cases for a supervisor.
inline constexpr const char* kWorkerCommand = "worker";

struct SupervisionSettings {
  WorkerSettings worker;
  int jobs = 1;
  std::chrono::milliseconds timeout{10'000};          // of one call of an implementation
  std::chrono::milliseconds load_timeout{150'000};    // of loading its libraries and clients
  const std::atomic<bool>* interrupted = nullptr;     // set by a signal handler: kill the workers and return
  std::string program = run::kThisProgram;            // that the workers run
  std::string command = kWorkerCommand;               // of that program
  std::string lone_program = run::kThisProgram;       // instead, if one implementation is run alone
  std::map<std::string, std::string> plugin_of = {};  // its file, by implementation, once a worker has told
  std::string heap_guard = {};                        // the allocator of the workers (run/heap_guard.h); empty: malloc
  bool fresh_clients = false;                         // each client is started; none is a copy (run/keeper.h)
  int most_kills = 0;  // of workers on one case by foreign processes, until that is told as a death
  std::function<void(WorkerSettings&)> at_start = {};  // adds what a worker that starts now has to know
  bool believes_copies = false;                       // of one plugin alone: as run_alone() says
  // For several supervisions of one thread; borrowed. nullptr: each worker is a process of its own, until two have
  // died.
  ForkServers* fork_servers = nullptr;

  bool is_interrupted() const { return interrupted && *interrupted; }
};

}  // namespace convict::workers

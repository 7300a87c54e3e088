// SPDX-License-Identifier: Apache-2.0
#include "workers/fork_servers.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <variant>

#include "run/heap_guard.h"
#include "run/keeper.h"
#include "workers/messages.h"

namespace convict::workers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostServers = 6;  // each keeps its libraries in memory: 50 MB of its own for LibTorch

/// Names what the implementations come from: all variants of a library from one file, native kernels from the program.
void name_origins(std::vector<std::string>& names) {
  for (std::string& name : names)
    if (const std::string module(run::module_of(name)); run::is_module(module))
      name = module + std::string(run::kWholeModule);
    else if (run::is_native(name))
      name = run::kAllNative;
}

/// The settings as far as it depends on them which libraries are loaded.
WorkerSettings of_loading(const WorkerSettings& settings) {
  WorkerSettings loading;
  loading.roster = settings.roster;
  name_origins(loading.roster.targets);
  name_origins(loading.roster.oracles);
  loading.memory = settings.memory;
  loading.environment = settings.environment;
  loading.forks = true;
  return loading;
}

std::string key_of(const SupervisionSettings& settings) {
  return settings.program + '\n' + settings.command + '\n' + settings.heap_guard + '\n' +
         to_line(of_loading(settings.worker));
}

/// Of processes that are started: their allocator is preloaded.
std::map<std::string, std::string> environment_of(const SupervisionSettings& settings) {
  if (settings.heap_guard.empty()) return {};
  return run::guarded_environment(settings.heap_guard);
}

/// Where workers ask for clients; -1 if they start them themselves, because these shall not be copies of one process,
/// or have another allocator.
int keeper_of(const SupervisionSettings& settings) {
  if (settings.fresh_clients || !settings.heap_guard.empty() ||
      !run::starts_clients(settings.worker.roster))
    return -1;
  // Static, because clients are the whole process's, whichever thread supervises their workers.
  static run::KeeperProcess keeper(settings.lone_program);
  return keeper.socket();
}

}  // namespace

struct ForkServers::Server {
  std::optional<run::ForkServer> process;  // none: workers must be spawned
  bool ready = false, hung = false;
  Clock::time_point deadline;  // for what it loads
  uint64_t used = 0;           // the larger, the later
  std::vector<uint32_t> focus;  // that it was told
  std::vector<generate::Share> shares;

  bool is_loading() const { return process && !ready; }

  /// Hears what it has to say: that it is ready, or not able to fork.
  void listen() {
    if (!process || ready) return;
    const bool open = process->process().receive();
    const auto line = process->process().take_line();
    if (line) ready = line->genuine && is_loaded(line->text);
    if (!ready && (line || !open)) process.reset();
  }

 private:
  static bool is_loaded(const std::string& line) {
    const auto report = report_in(line);
    return report && std::holds_alternative<Loaded>(*report);
  }
};

ForkServers::ForkServers() = default;
ForkServers::~ForkServers() = default;

ForkServers::Server* ForkServers::find(const SupervisionSettings& settings) {
  const auto found = servers_.find(key_of(settings));
  if (found == servers_.end()) return nullptr;
  found->second.used = ++uses_;
  return &found->second;
}

bool ForkServers::may_fork(const SupervisionSettings& settings) const {
  return std::ranges::none_of(settings.worker.roster.plugins,
                              [this](const std::string& plugin) { return forbidden_.contains(plugin); });
}

void ForkServers::start(const SupervisionSettings& settings) {
  if (find(settings) || !may_fork(settings)) return;
  if (servers_.size() >= kMostServers)
    servers_.erase(std::ranges::min_element(servers_, {}, [](const auto& entry) { return entry.second.used; }));
  Server& server = servers_[key_of(settings)];
  server.used = ++uses_;
  server.deadline = Clock::now() + settings.load_timeout;
  server.process.emplace(std::vector<std::string>{"convict", settings.command}, settings.program,
                         environment_of(settings), keeper_of(settings));
  WorkerSettings loading = of_loading(settings.worker);
  loading.focus = server.focus = settings.worker.focus;
  loading.shares = server.shares = settings.worker.shares;
  server.process->process().send(to_line(loading));
}

ForkServers::State ForkServers::state(const SupervisionSettings& settings) {
  Server* server = find(settings);
  if (!server) return State::kSettled;
  if (server->process && !server->ready && Clock::now() > server->deadline) {
    server->process.reset();
    server->hung = true;
  }
  server->listen();
  return server->is_loading() ? State::kLoading : server->hung ? State::kHangs : State::kSettled;
}

void ForkServers::listen(std::vector<run::WorkerProcess*>& processes) {
  for (auto& [key, server] : servers_)
    if (server.is_loading()) processes.push_back(&server.process->process());
}

bool ForkServers::knows_sampling(const SupervisionSettings& settings) {
  const Server* server = find(settings);
  return server && server->focus == settings.worker.focus && server->shares == settings.worker.shares;
}

std::unique_ptr<run::WorkerProcess> ForkServers::fork(const SupervisionSettings& settings) {
  Server* server = find(settings);
  if (!server || !may_fork(settings)) return nullptr;
  server->listen();
  if (!server->ready) return nullptr;
  auto worker = server->process->fork();
  if (!worker) {
    server->process.reset();
    server->ready = false;
  }
  return worker;
}

std::unique_ptr<run::WorkerProcess> spawn_worker(const SupervisionSettings& settings) {
  return std::make_unique<run::WorkerProcess>(std::vector<std::string>{"convict", settings.command}, settings.program,
                                              -1, environment_of(settings), keeper_of(settings));
}

}  // namespace convict::workers

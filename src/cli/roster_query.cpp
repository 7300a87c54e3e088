// SPDX-License-Identifier: Apache-2.0
#include "cli/roster_query.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "workers/workers.h"

namespace convict::cli {
namespace {

/// Without any work for them.
Task<std::vector<workers::RosterEntry>> loaded_by(workers::Workers workers) {
  std::vector<workers::RosterEntry> roster;
  while (const auto answer = co_await workers.next())
    if (const auto* began = std::get_if<workers::Began>(&*answer)) roster = began->roster;
  co_return roster;
}

std::vector<workers::RosterEntry> roster_of(run::RosterRequest request) {
  request.oracles = {std::string(run::kNoOracle)};
  workers::SupervisorSettings settings;
  settings.worker.roster = std::move(request);
  workers::Pool pool;
  return pool.finish(loaded_by(workers::Workers(pool, settings)));
}

}  // namespace

Installed everything_installed(const std::vector<std::string>& plugins) {
  Installed installed;
  installed.entries = roster_of({{std::string(run::kAllNative)}, {}, {}, false});
  for (const std::string& module : run::installed_modules()) try {
      std::ranges::move(roster_of({{module + std::string(run::kWholeModule)}, {}, {}, false}),
                        std::back_inserter(installed.entries));
    } catch (const UsageError& error) {
      installed.failures.emplace_back(module, error.what());
    } catch (const CannotJudge& error) {
      installed.failures.emplace_back(module, error.what());
    }
  for (const std::string& plugin : plugins)
    std::ranges::move(offered_by(plugin), std::back_inserter(installed.entries));
  return installed;
}

std::vector<workers::RosterEntry> offered_by(const std::string& plugin) { return roster_of({{}, {}, {plugin}, false}); }

}  // namespace convict::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/roster_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "abi/calibration.h"
#include "core/error.h"
#include "core/plugin_name.h"
#include "core/text.h"
#include "workers/pool.h"

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
  workers::SupervisionSettings settings;
  settings.worker.roster = std::move(request);
  workers::Pool pool;
  return pool.finish(loaded_by(workers::Workers(pool, settings)));
}

/// What stands before the first colon is the same for all implementations of a module, and of a client.
std::string_view family_of(std::string_view name) { return name.substr(0, name.find(':')); }

bool may_have(std::string_view family, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](std::string_view name) {
    const size_t star = name.find('*');
    return family_of(name).find('*') == std::string_view::npos ? family == family_of(name)
                                                               : family.starts_with(name.substr(0, star));
  });
}

std::vector<run::NamedClient> clients_that_may_have(const std::vector<std::string>& names) {
  std::vector<run::NamedClient> clients = run::named_clients();
  std::erase_if(clients, [&](const run::NamedClient& client) {
    return std::ranges::none_of(client.implementations,
                                [&](const auto& one) { return may_have(family_of(one.first), names); });
  });
  return clients;
}

/// Without starting one: some take seconds.
void add_clients(Installed& installed, const std::vector<run::NamedClient>& clients) {
  const std::vector<run::ClientInstallation> installations = run::installations_of(clients);
  for (size_t i = 0; i < clients.size(); ++i) {
    const run::NamedClient& client = installed.clients.emplace_back(clients[i], installations[i]).first;
    if (!installations[i].is_there()) continue;
    for (const auto& [name, description] : client.implementations)
      installed.entries.push_back({name, description, /*lineage=*/"", installations[i].version, /*is_target=*/false,
                                   std::string(kClientPrefix) + client.name});
  }
}

}  // namespace

Installed everything_installed(const std::vector<std::string>& plugins, const std::vector<std::string>& names) {
  Installed installed;
  installed.entries = roster_of({{std::string(run::kAllNative)}, {}, {}});
  for (const std::string& module : run::installed_modules()) try {
      if (!may_have(module, names)) continue;
      std::ranges::move(roster_of({{module + std::string(run::kWholeModule)}, {}, {}}),
                        std::back_inserter(installed.entries));
    } catch (const UsageError& error) {
      installed.failures.emplace_back(module, error.what());
    } catch (const CannotJudge& error) {
      installed.failures.emplace_back(module, error.what());
    }
  add_clients(installed, clients_that_may_have(names));
  for (const std::string& plugin : plugins)
    std::ranges::move(offered_by(plugin), std::back_inserter(installed.entries));
  return installed;
}

std::vector<workers::RosterEntry> named(const std::string& name) { return roster_of({{name}, {}, {}}); }

std::vector<workers::RosterEntry> offered_by(const std::string& plugin) { return roster_of({{}, {}, {plugin}}); }

std::string ignored_calibration() {
  const std::string complaint = read_calibration().complaint;
  if (complaint.empty()) return "";
  return fmt::format("'{}' is ignored: it {}; --calibrate writes it anew", printable(calibration_file().string(), 300),
                     complaint);
}

}  // namespace convict::cli

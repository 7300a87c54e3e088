// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workers/supervisor.h"

namespace convict::cli {

/// What can be loaded on this machine, and what could not be with the reason.
struct Installed {
  std::vector<workers::RosterEntry> entries;
  std::vector<std::pair<std::string, std::string>> failures;  // (module, why)
};

/// Native kernels, oracle modules and the given plugins, each loaded in a worker of its own. A module that fails is
/// listed as such; a plugin that fails is the user's mistake and throws UsageError.
Installed everything_installed(const std::vector<std::string>& plugins);

/// What one plugin offers. Throws UsageError.
std::vector<workers::RosterEntry> offered_by(const std::string& plugin);

}  // namespace convict::cli

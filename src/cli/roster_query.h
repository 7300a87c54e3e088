// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workers/supervisor_settings.h"

namespace convict::cli {

/// The implementations that load on this machine, and the modules that do not, with the reason.
struct Installed {
  std::vector<workers::RosterEntry> entries;
  std::vector<std::pair<std::string, std::string>> failures;  // (module, why)
};

/// Loads native kernels, oracle modules and the given plugins, each in a worker of its own. Lists a module that fails
/// in `failures`. Throws UsageError for a plugin that fails, because the user named it.
Installed everything_installed(const std::vector<std::string>& plugins);

/// The implementations of one plugin. Throws UsageError.
std::vector<workers::RosterEntry> offered_by(const std::string& plugin);

}  // namespace convict::cli

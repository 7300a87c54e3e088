// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/named_clients.h"
#include "workers/messages.h"

namespace convict::cli {

/// The implementations that load on this machine, and the modules that do not, with the reason; all clients that are
/// known by name, installed or not.
struct Installed {
  std::vector<workers::RosterEntry> entries;                  // those of clients as their tables say, without a lineage
  std::vector<std::pair<std::string, std::string>> failures;  // (module, why)
  std::vector<std::pair<run::NamedClient, run::ClientInstallation>> clients;
};

/// Loads native kernels, oracle modules and the given plugins, each in a worker of its own, but no client. Lists a
/// module that fails in `failures`. Throws UsageError for a plugin that fails, because the user named it.
/// Modules and clients that can have none of `names`, in which * stands for any text, are left out.
Installed everything_installed(const std::vector<std::string>& plugins, const std::vector<std::string>& names = {"*"});

/// What this name of an implementation, a module or a client stands for. Throws UsageError, which says what is valid.
std::vector<workers::RosterEntry> named(const std::string& name);

/// The implementations of one plugin. Throws UsageError.
std::vector<workers::RosterEntry> offered_by(const std::string& plugin);

/// A line about a calibration file of this user that is ignored; empty if there is none.
std::string ignored_calibration();

}  // namespace convict::cli

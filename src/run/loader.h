// SPDX-License-Identifier: Apache-2.0
//
// Finds the implementations named on a command line: native kernels, the oracle modules of this program, and plugins.
// Runs in workers only, because loading a library runs foreign code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "abi/native_kernel.h"
#include "run/named_clients.h"
#include "run/subject.h"

namespace convict::run {

/// The user's request. Each name is that of an implementation or of a whole module: "libtorch", where no
/// implementation has this name, or "onednn:*" where one has; or of a client of this program (run/named_clients.h).
struct RosterRequest {
  std::vector<std::string> targets;  // empty: those of the plugins, or without plugins `native`
  std::vector<std::string> oracles;  // empty: kDefaultOracles that are installed; of a client, witness_of it
  std::vector<std::string> plugins;  // libraries, commands and clients (core/plugin_name.h)
};

struct Roster {
  std::vector<Subject> subjects;   // targets, then oracles
  std::vector<std::string> notes;  // for the user, e.g. that a default oracle is not installed
};

inline constexpr std::string_view kAllNative = "native";  // stands for every native kernel
inline constexpr std::string_view kNoOracle = "none";     // the exact reference alone

/// Whether a name of a request stands for a native kernel, or for all.
bool is_native(std::string_view name);

/// Whether anything but native kernels may be loaded.
bool loads_files(const RosterRequest& request);

/// Whether clients are started.
bool starts_clients(const RosterRequest& request);

/// Whether shared libraries of the user are loaded; and whether files are, and none of those.
bool loads_plugins(const RosterRequest& request);
bool loads_modules_only(const RosterRequest& request);

/// Throws UsageError for an unknown name or a file that is no plugin, CannotJudge for an oracle or a client that is not
/// installed.
Roster load_roster(const RosterRequest& request, std::span<const NativeKernel* const> native,
                   const KeeperAddress& keeper = {});

/// The oracle modules installed with this program, by name: "libtorch", "onednn".
std::vector<std::string> installed_modules();

/// That none of kDefaultOracles is here, and how to have witnesses; "" if one is.
std::string why_without_oracles();

/// The file of a module; "" if it is not installed.
std::string file_of_module(const std::string& name);

/// All implementations of one module or plugin.
std::vector<Subject> load_module(const std::string& name);
std::vector<Subject> load_plugin(const std::string& path);

}  // namespace convict::run

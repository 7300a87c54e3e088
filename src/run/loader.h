// SPDX-License-Identifier: Apache-2.0
//
// Finds the implementations named on a command line: native kernels, the oracle modules of this program, and plugins.
// Runs in workers only, because loading a library runs foreign code.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/native_kernel.h"
#include "core/transforms.h"
#include "run/code_path.h"
#include "run/module_folders.h"
#include "run/named_clients.h"
#include "run/process_target.h"
#include "run/turns.h"

namespace convict::run {

/// One implementation in a campaign.
struct Subject {
  const convict_implementation* implementation = nullptr;
  bool is_target = false;
  std::string version = {};
  std::string name = {};    // as it was when it was loaded: the pointer above leads into memory of a library
  std::string plugin = {};  // what it came from (core/plugin_name.h); empty for a native kernel and for our modules
  bool is_foreign = false;  // it came from a file: a plugin or a module
  Turns turns = {};         // of an oracle that nobody named
  convict_abilities abilities = {};
  Transforms transforms = {};
  std::vector<std::string> examples = {};  // lines of cases that it says it takes
  std::shared_ptr<const CodePath> code_path = {};     // that `implementation` is, of another one
  std::shared_ptr<ProcessTarget> process = {};  // whose client computes it, which ends with the last subject
};

/// The user's request. Each name is that of an implementation or of a whole module: "libtorch", where no
/// implementation has this name, or "onednn:*" where one has; or of a client of this program (run/named_clients.h).
struct RosterRequest {
  std::vector<std::string> targets;  // empty: those of the plugins, or without plugins `native`
  std::vector<std::string> oracles;  // empty: kDefaultOracles, as far as they are installed
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

/// All implementations of one module, client, or plugin.
std::vector<Subject> load_module(const std::string& name);
std::vector<Subject> load_client(const NamedClient& client, const KeeperAddress& keeper = {});
std::vector<Subject> load_plugin(const std::string& path, const KeeperAddress& keeper = {});

/// The implementations of a plugin in memory. `shown` names it in messages. Throws UsageError.
std::vector<Subject> subjects_of(const convict_plugin* plugin, const std::string& shown);

}  // namespace convict::run

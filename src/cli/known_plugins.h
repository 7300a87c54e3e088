// SPDX-License-Identifier: Apache-2.0
//
// The plugins that this user has put on trial before. A database may come from a stranger, and loading a library runs
// its code: a plugin that a database names is loaded if the user has named it on a command line, now or before
// (docs/decisions/0025-a-database-may-come-from-anybody.md).
//
// They are lines of $XDG_STATE_HOME/convict/plugins, ~/.local/state by default: absolute paths, the latest first.
#pragma once

#include <string>
#include <vector>

namespace convict::cli {

/// Adds plugins that were loaded. Where there is no place for the file, or no room, nothing happens.
void remember_plugins(const std::vector<std::string>& plugins);

/// Whether the user has put this file on trial before, and it still belongs to the user or to root.
bool is_known_plugin(const std::string& plugin);

}  // namespace convict::cli

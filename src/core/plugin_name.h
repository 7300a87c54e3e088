// SPDX-License-Identifier: Apache-2.0
//
// Three kinds of plugins share one list: shared libraries, named by their files; programs that speak the protocol of
// process targets (docs/process-targets.md), named by their commands behind a prefix; and those programs of clients/
// that are known by a name (run/named_clients.h), by that behind another one. The last are of this program: who reads a
// name loads them, and no command line has to name them.
#pragma once

#include <string>
#include <string_view>

#include "core/text.h"

namespace convict::inline core {

inline constexpr std::string_view kCommandPrefix = "command:", kClientPrefix = "client:";

inline bool is_command(std::string_view plugin) { return plugin.starts_with(kCommandPrefix); }
inline bool is_named_client(std::string_view plugin) { return plugin.starts_with(kClientPrefix); }

/// Whether it runs in a process of its own.
inline bool is_client(std::string_view plugin) { return is_command(plugin) || is_named_client(plugin); }

/// The file of a library, the command of a program, as the user wrote it, or the name of a client.
inline std::string_view as_written(std::string_view plugin) {
  return plugin.substr(is_command(plugin) ? kCommandPrefix.size() : is_named_client(plugin) ? kClientPrefix.size() : 0);
}

/// "--plugin ./mine.so", "--command 'python3 mine.py'": quoted for a shell. With "=", a value that begins with "-" is
/// not taken for another option. Precondition: it is no client of ours.
inline std::string plugin_flag(std::string_view plugin) {
  const std::string_view value = as_written(plugin);
  return std::string(is_command(plugin) ? "--command" : "--plugin") + (value.starts_with('-') ? "=" : " ") +
         shell_quoted(value);
}

}  // namespace convict::inline core

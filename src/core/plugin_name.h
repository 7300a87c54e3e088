// SPDX-License-Identifier: Apache-2.0
//
// Two kinds of plugins share one list: shared libraries, named by their files, and programs that speak the protocol of
// process targets (docs/process-targets.md), named by their commands behind a prefix.
#pragma once

#include <string>
#include <string_view>

#include "core/text.h"

namespace convict::inline core {

inline constexpr std::string_view kCommandPrefix = "command:";

inline bool is_command(std::string_view plugin) { return plugin.starts_with(kCommandPrefix); }

/// The file of a library, or the command of a program, as the user wrote it.
inline std::string_view as_written(std::string_view plugin) {
  return plugin.substr(is_command(plugin) ? kCommandPrefix.size() : 0);
}

/// "--plugin ./mine.so", "--command 'python3 mine.py'": quoted for a shell. With "=", a value that begins with "-" is
/// not taken for another option.
inline std::string plugin_flag(std::string_view plugin) {
  const std::string_view value = as_written(plugin);
  return std::string(is_command(plugin) ? "--command" : "--plugin") + (value.starts_with('-') ? "=" : " ") +
         shell_quoted(value);
}

}  // namespace convict::inline core

// SPDX-License-Identifier: Apache-2.0
//
// The flags that several commands share, and what their words mean.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"
#include "core/case.h"

namespace convict::workers {
struct SupervisionSettings;
}

namespace convict::cli {

/// --target, --oracle, --plugin, --command, --timeout, --memory: whom to run and within which limits.
struct RunOptions {
  std::vector<std::string> targets, oracles, plugins;  // the last with commands, as core/plugin_name.h names them
  std::string timeout = "10s", memory = "4G", heap_guard;

  void add_to(Command command);
  void add_files_to(Command command);  // plugins without a flag, for commands that take no case
  void add_heap_guard_to(Command command);  // --heap-guard
  workers::SupervisionSettings settings() const;
};

/// --format, --output, --color, -q, -v: how to talk.
struct OutputOptions {
  std::string format = "text", output, color = "auto";
  bool quiet = false, verbose = false;

  void add_to(Command command, const std::vector<std::string>& formats = {"text", "json"});
  bool json() const { return format == "json"; }

  /// Writes the result to --output or stdout, as streams.h says.
  void write(const std::string& text) const;

  /// `text` in colour (an SGR code such as "1;31") if that stream, STDOUT_FILENO or STDERR_FILENO, is to show colours:
  /// as --color says, else if it is a terminal and NO_COLOR is unset or empty (https://no-color.org).
  std::string colored(std::string_view code, const std::string& text, int stream = STDOUT_FILENO) const;
};

/// --command: adds to the plugins.
void add_command_option(Command command, std::vector<std::string>& plugins);

/// Empty if there is no such variable.
std::string_view environment_variable(const char* name);

/// --relations: the word for one of examine::AskedRelations.
void add_relations(Command command, std::string& word);

/// --data: an .npz file with operands.
void add_data(Command command, std::string& file);

/// Makes workers take operands from this file, if there is one. Throws UsageError unless it fits all of these cases.
void use_data(const std::string& file, std::span<const Case> cases, workers::SupervisionSettings& settings);

/// "30s", "10m", "2h", "500ms". Throws UsageError naming `flag`.
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& flag);

/// Turns "2026-11-21" or "2026-11-21T02:13:28Z" into the latter form; appends `time` to a day, "T00:00:00Z" for its
/// first second. Empty text stays empty. Throws UsageError naming `flag`.
std::string parse_date(const std::string& text, const char* flag, const char* time);

}  // namespace convict::cli

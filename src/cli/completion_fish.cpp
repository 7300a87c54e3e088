// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/completion.h"

namespace convict::cli {
namespace {

/// Text in single quotes, in which fish has two escapes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string values(const Argument& argument) {
  switch (argument.takes) {
    case Takes::kNothing: return "";
    case Takes::kText: return argument.value_is_optional || argument.positional ? "" : " -x";
    case Takes::kWord:
      return fmt::format(" -{}a {}", argument.positional ? "" : "x",
                         quoted(fmt::format("{}", fmt::join(argument.words, " "))));
    case Takes::kFile: return argument.positional ? " -F" : " -r -F";
    case Takes::kDirectory: return fmt::format(" -{}a '(__fish_complete_directories)'", argument.positional ? "" : "x");
  }
  return "";
}

/// One `complete` line per argument; `condition` says when it applies. Positionals of free text have none.
std::string lines(const CommandLine& command, const std::string& condition) {
  std::string text;
  for (const Argument& argument : command.arguments) {
    if (argument.positional && argument.takes == Takes::kText) continue;
    text += fmt::format("complete -c convict -n {}", condition);
    if (!argument.positional)
      for (const std::string& name : argument.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += values(argument) + (argument.positional ? "" : " -d " + quoted(argument.brief())) + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(const Program& program) {
  std::string text =
      "# Completion of convict for fish, written by `convict completion fish`.\n"
      "complete -c convict -f\n" +
      lines(program.itself, "__fish_use_subcommand");
  for (const CommandLine& command : program.commands)
    text += fmt::format("complete -c convict -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.summary));
  for (const CommandLine& command : program.commands)
    text += lines(command, quoted("__fish_seen_subcommand_from " + command.name));
  return text;
}

}  // namespace convict::cli

// SPDX-License-Identifier: Apache-2.0
//
// bash splits a line at = and : too (COMP_WORDBREAKS), so the script splits the line itself.
#include <fmt/format.h>

#include <vector>

#include "cli/completion.h"

namespace convict::cli {
namespace {

constexpr const char* kBegin = R"(# Completion of convict for bash, written by `convict completion bash`.
_convict() {
  local line=${COMP_LINE:0:COMP_POINT} command= words= files= word option value prefix
  local -a before
  value=${line##*[[:space:]]}
  read -ra before <<< "${line%"$value"}"
  option=${before[-1]}
  if [[ $value == --*=* ]]; then
    option=${value%%=*}
    value=${value#*=}
  fi
  for word in "${before[@]:1}"; do
    case $word in
)";

constexpr const char* kBashEnd = R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$value"; [[ -z $files ]] || compgen "$files" -- "$value")
  [[ -z $files ]] || compopt -o filenames 2> /dev/null
  if [[ $value == *:* && $COMP_WORDBREAKS == *:* ]]; then
    prefix=${value%"${value##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  fi
}
complete -F _convict convict
)";

/// Shell code that sets the words and files that fit.
std::string what_fits(const Argument& argument) {
  if (argument.takes == Takes::kWord) return fmt::format("words='{}'", fmt::join(argument.words, " "));
  return argument.takes == Takes::kFile ? "files=-f" : "files=-d";
}

/// Completes the value after an option, else a positional; if neither has words, another option.
std::string branch(const CommandLine& command, const std::string& commands) {
  std::string text = "      case $option in\n", positionals;
  std::vector<std::string> free_text;
  for (const Argument& option : command.options()) {
    if (option.takes == Takes::kNothing || option.value_is_optional) continue;
    const std::string pattern = fmt::format("{}", fmt::join(option.names, "|"));
    if (option.takes == Takes::kText)
      free_text.push_back(pattern);
    else
      text += fmt::format("        {}) {} ;;\n", pattern, what_fits(option));
  }
  if (!free_text.empty()) text += fmt::format("        {}) ;;\n", fmt::join(free_text, "|"));
  if (!commands.empty()) positionals = fmt::format("          words='{}'\n", commands);
  for (const Argument& positional : command.positionals())
    if (positional.takes != Takes::kText) positionals += fmt::format("          {}\n", what_fits(positional));
  text += fmt::format("        *)\n{}          {}words='{}'\n          ;;\n", positionals,
                      positionals.empty() ? "" : "[[ $value != -* ]] || files= ", all_names(command.options()));
  return text + "      esac\n      ;;\n";
}

}  // namespace

std::string bash_completion(const Program& program) {
  std::vector<std::string> names;
  for (const CommandLine& command : program.commands) names.push_back(command.name);
  std::string text = kBegin;
  text += fmt::format("      {})\n        command=$word\n        break\n        ;;\n    esac\n  done\n",
                      fmt::join(names, "|"));
  text += "  case $command in\n    '')\n" + branch(program.itself, fmt::format("{}", fmt::join(names, " ")));
  for (const CommandLine& command : program.commands)
    text += fmt::format("    {})\n", command.name) + branch(command, "");
  return text + kBashEnd;
}

}  // namespace convict::cli

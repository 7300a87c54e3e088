// SPDX-License-Identifier: Apache-2.0
//
// Writes specifications for zsh's _arguments: zshcompsys(1).
#include <fmt/format.h>

#include <string_view>

#include "cli/completion.h"

namespace convict::cli {
namespace {

constexpr const char* kZshEnd = R"(      esac
      ;;
  esac
}

if [[ $funcstack[1] == _convict ]]; then
  _convict "$@"
else
  compdef _convict convict
fi
)";

std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string action(const Argument& argument) {
  if (argument.takes == Takes::kWord)
    return fmt::format("({})", escaped(fmt::format("{}", fmt::join(argument.words, " ")), ":"));
  if (argument.takes == Takes::kFile) return "_files";
  return argument.takes == Takes::kDirectory ? "_files -/" : " ";
}

std::string positional(const Argument& argument) {
  const char* count = argument.repeats ? "*" : argument.required ? "" : ":";
  return single_quoted(fmt::format("{}:{}:{}", count, argument.placeholder(), action(argument)));
}

/// "'(-j --jobs)'{-j+,--jobs=}'[Workers at once]:JOBS: '".
std::string option(const Argument& argument) {
  const bool flag = argument.takes == Takes::kNothing;
  std::vector<std::string> names;
  for (const std::string& name : argument.names)
    names.push_back(name + (flag ? "" : name.starts_with("--") ? "=" : "+"));
  std::string rest = fmt::format("[{}]", escaped(argument.brief(), "[]"));
  if (!flag)
    rest += fmt::format("{}{}:{}", argument.value_is_optional ? "::" : ":", argument.placeholder(), action(argument));
  const std::string alternatives = fmt::format("{}", fmt::join(names, ","));
  if (argument.repeats || names.size() == 1) {
    const std::string before = argument.repeats ? "'*'" : "";
    return before + (names.size() == 1 ? alternatives : "{" + alternatives + "}") + single_quoted(rest);
  }
  return fmt::format("'({})'{{{}}}{}", fmt::join(argument.names, " "), alternatives, single_quoted(rest));
}

std::string specifications(const CommandLine& command, const std::string& indent) {
  std::string text;
  for (const Argument& argument : command.arguments)
    text += " \\\n" + indent + (argument.positional ? positional(argument) : option(argument));
  return text;
}

}  // namespace

std::string zsh_completion(const Program& program) {
  std::string text =
      "#compdef convict\n"
      "# Completion of convict for zsh, written by `convict completion zsh`.\n"
      "_convict() {\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C" +
      specifications(program.itself, "    ") +
      " \\\n    '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=(\n";
  for (const CommandLine& command : program.commands)
    text += "        " + single_quoted(command.name + ":" + escaped(command.summary, ":")) + "\n";
  text +=
      "      )\n"
      "      _describe -t commands command commands\n"
      "      ;;\n"
      "    argument)\n"
      "      case $words[1] in\n";
  for (const CommandLine& command : program.commands)
    text += fmt::format("        {})\n          _arguments{}\n          ;;\n", command.name,
                        specifications(command, "            "));
  return text + kZshEnd;
}

}  // namespace convict::cli

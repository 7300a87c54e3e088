// SPDX-License-Identifier: Apache-2.0
//
// Shell completion. The script of each shell asks the hidden command `complete` what may follow a line, so that all
// three complete the same, and a script of an older convict is right for a newer one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/native_kernel.h"
#include "cli/command.h"
#include "cli/parser.h"
#include "cli/streams.h"
#include "core/text.h"
#include "generate/profile.h"
#include "imports/importer.h"
#include "run/loader.h"

namespace convict::cli {
namespace {

using Words = std::vector<std::string>;

/// The exit code of `complete` if names of files fit, too.
constexpr int kFilesFit = 1;

// `convict complete LINE` prints a word a line, and behind a tab what it means. If that fails, the shell adds files.

// bash has split the word at = and : (COMP_WORDBREAKS), and replaces what is behind the last of them.
constexpr std::string_view kBash = R"(_convict() {
  local IFS=$'\n' line=${COMP_LINE:0:COMP_POINT} value
  value=${line##*[[:space:]]}
  [[ $value != --*=* ]] || value=${value#*=}
  COMPREPLY=($(convict complete "$line" 2> /dev/null)) || {
    COMPREPLY+=($(compgen -f -- "$value"))
    compopt -o filenames 2> /dev/null
  }
  COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
  [[ $COMP_WORDBREAKS != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${value%"${value##*:}"}"}")
}
complete -F _convict convict
)";

constexpr std::string_view kZsh = R"(#compdef convict
_convict() {
  local text files
  text=$(convict complete "$words[1,CURRENT-1] $PREFIX" 2> /dev/null) || files=1
  [[ $PREFIX != --*=* ]] || compset -P "${PREFIX%%=*}="
  local -a found=(${${(f)text//:/\\:}//$'\t'/:})
  _describe convict found
  [[ -z $files ]] || _files
}
if [[ $funcstack[1] == _convict ]]; then _convict "$@"; else compdef _convict convict; fi
)";

// fish replaces the word with its option.
constexpr std::string_view kFish = R"(function __convict_complete
  set -l option (string match -r -- '^--[^=]+=' (commandline -ct))
  convict complete (commandline -cp) 2> /dev/null | string replace -r -- '^' "$option"
end
complete -c convict -f -a '(__convict_complete)'
complete -c convict -n 'not convict complete (commandline -cp) > /dev/null 2>&1' -F
)";

/// `words`, and the names of what these are.
Words with(Words words, auto&& named) {
  for (const auto& one : named) {
    if constexpr (requires { one->name; })
      words.emplace_back(one->name);
    else
      words.emplace_back(one.name);
  }
  return words;
}

bool is_one_of(std::string_view name, const auto& names) { return std::ranges::find(names, name) != std::end(names); }

/// What fits as the value of a positional argument or an option. The parser knows the words that it checks itself. An
/// option that several commands have means the same in all.
Words values_of(const Argument& argument) {
  const std::string& name = argument.names.back();
  if (!argument.words.empty()) return argument.words;
  // Of kernels, the linked ones. Loading the modules for their names would take a second per key press.
  if (name == "--target") {
    Words words = with({}, native_kernels());
    words.emplace_back(run::kAllNative);
    return with(std::move(words), run::named_clients());
  }
  if (name == "--oracle") return with(with({std::string(run::kNoOracle)}, run::kDefaultOracles), run::named_clients());
  if (name == "--suspect") return with(with({}, native_kernels()), run::kDefaultOracles);
  if (name == "--profile") return with({std::string(generate::kAllProfiles)}, generate::profiles());
  return name == "importer" ? with({}, imports::all()) : Words();
}

bool is_file(const Argument& argument) {
  constexpr std::string_view kFiles[] = {"--config", "--corpus", "--db",   "--from", "directory", "file",
                                         "--output", "--plugin", "inputs", "output", "paths",     "what"};
  return is_one_of(argument.names.back(), kFiles);
}

/// What may stand where a line ends.
struct Completions {
  std::vector<std::pair<std::string, std::string>> words;  // with their meanings
  bool files = false;                                      // names of files, too

  void add_values(const Argument& argument) {
    const Words values = values_of(argument);
    for (const std::string& word : values) words.emplace_back(word, "");
    files |= values.empty() && is_file(argument);
  }
};

/// Names of commands if none is there, else values of positional arguments; or options, where nothing else fits, or the
/// word has begun as one.
Completions at_a_new_argument(const CommandLine& line, const std::vector<Command>& commands, bool is_option) {
  Completions fits;
  if (!is_option) {
    for (const Command command : commands) {
      const CommandLine one = command.described();
      fits.words.emplace_back(one.name, one.summary);
    }
    for (const Argument& argument : line.arguments)
      if (argument.is_positional) fits.add_values(argument);
  }
  if (!fits.words.empty() || fits.files) return fits;
  for (const Argument& argument : line.arguments)
    if (!argument.is_positional)
      for (const std::string& name : argument.names) fits.words.emplace_back(name, argument.brief());
  return fits;
}

/// `line` is what was typed, up to the cursor, with the name of the program.
Completions completions_of(const Command& program, const std::string& line) {
  Words words;
  for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
  std::string value = std::move(words.back());
  words.pop_back();
  std::string option = words.empty() ? "" : words.back();
  if (const size_t equals = value.find('='); value.starts_with("--") && equals != value.npos) {
    option = value.substr(0, equals);
    value = value.substr(equals + 1);
  }
  std::vector<Command> commands = program.commands();
  CommandLine at = program.described();
  for (const Command command : commands) {
    if (!is_one_of(command.described().name, std::span(words).subspan(std::min<size_t>(words.size(), 1)))) continue;
    at = command.described();
    commands.clear();
    break;
  }
  const auto takes = std::ranges::find_if(
      at.arguments, [&](const Argument& one) { return one.needs_value && is_one_of(option, one.names); });
  Completions fits;
  if (takes != at.arguments.end())
    fits.add_values(*takes);
  else
    fits = at_a_new_argument(at, commands, value.starts_with('-'));
  std::erase_if(fits.words, [&](const auto& one) { return !one.first.starts_with(value); });
  return fits;
}

void add_complete(Command app, int& exit_code) {
  auto line = std::make_shared<std::string>();
  const Command command =
      app.add_command("complete", "Print what may follow a line, for completion (internal)").hidden();
  command.option("line", *line, "What was typed, up to the cursor").required();
  command.on_call([app, line, &exit_code] {
    const Completions fits = completions_of(app, *line);
    for (const auto& [word, meaning] : fits.words) print(fmt::format("{}\t{}\n", word, meaning));
    exit_code = fits.files ? kFilesFit : kClean;
  });
}

}  // namespace

void add_completion(Command app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  const Command command = app.add_command(
      "completion", "Write the completion script of a shell",
      "An installed convict has them where the shells look. For one that is not:\n"
      "Examples:\n"
      "  source <(convict completion bash)                 in ~/.bashrc; likewise for zsh after compinit in ~/.zshrc\n"
      "  convict completion fish > ~/.config/fish/completions/convict.fish\n"
      "Exit codes: 0 written, 2 usage");
  command.option("shell", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  command.on_call([shell, &exit_code] {
    print(std::string(*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish));
    exit_code = kClean;
  });
  add_complete(app, exit_code);
}

}  // namespace convict::cli

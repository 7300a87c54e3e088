// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <memory>

#include "cli/command.h"
#include "cli/options.h"

namespace convict::cli {

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

void add_completion(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Write the completion script of a shell");
  command->footer(
      "An installed convict has them where the shells look. For one that is not:\n"
      "Examples:\n"
      "  source <(convict completion bash)                 in ~/.bashrc; likewise for zsh after compinit in ~/.zshrc\n"
      "  convict completion fish > ~/.config/fish/completions/convict.fish\n"
      "Exit codes: 0 written, 2 usage");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &exit_code] {
    const Program program = describe_program(app);
    OutputOptions().write(*shell == "bash"  ? bash_completion(program)
                          : *shell == "zsh" ? zsh_completion(program)
                                            : fish_completion(program));
    exit_code = kClean;
  });
}

}  // namespace convict::cli

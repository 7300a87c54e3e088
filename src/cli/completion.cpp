// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <memory>

#include "cli/command.h"
#include "cli/options.h"

namespace convict::cli {

std::string single_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

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
  command.on_call([app, shell, &exit_code] {
    const Program program = describe_program(app);
    OutputOptions().write(*shell == "bash"  ? bash_completion(program)
                          : *shell == "zsh" ? zsh_completion(program)
                                            : fish_completion(program));
    exit_code = kClean;
  });
}

}  // namespace convict::cli

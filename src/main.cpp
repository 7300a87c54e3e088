// SPDX-License-Identifier: Apache-2.0
//
// Parses the command line, runs one command, and turns an exception into one line and an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/streams.h"
#include "core/text.h"

namespace {

int fail(const std::string& why, int exit_code) {
  convict::cli::say(fmt::format("convict: {}\n", why));
  return exit_code;
}

/// Limits the size of a file, because CLI11 would read any file to its end, /dev/zero included.
CLI::Validator small_text_file() {
  return CLI::Validator(
      [](std::string& name) -> std::string {
        constexpr uintmax_t kLargest = 1 << 20;  // bytes
        std::error_code error;
        const bool regular = std::filesystem::is_regular_file(name, error);
        if (regular && std::filesystem::file_size(name, error) <= kLargest) return "";
        return fmt::format("'{}' is not a file of at most {} bytes", convict::printable(name, 200), kLargest);
      },
      "");
}

/// CLI11's message; but an unexpected first argument is reported as a misspelt command.
std::string why_refused(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    commands.push_back(command->get_name());
  if (app.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
    return fmt::format("unknown command '{}'{}; valid: {}", convict::printable(argv[1]),
                       convict::suggestion(argv[1], commands), fmt::join(commands, ", "));
  if (app.get_subcommands().empty() && argc > 1 && dynamic_cast<const CLI::RequiredError*>(&error)) {
    const std::vector<std::string> flags = {"--help", "--version", "--config"};
    return fmt::format("unknown flag '{}'{}; valid: {}", convict::printable(argv[1]),
                       convict::suggestion(argv[1], flags), fmt::join(flags, ", "));
  }
  std::string why = error.what();
  for (char& c : why)
    if (c == '\n') c = ' ';
  if (dynamic_cast<const CLI::ConfigError*>(&error))
    return fmt::format("--config: {}; valid: the names of the flags, in one section a command", why);
  std::vector<std::string> flags;
  if (!app.get_subcommands().empty())
    for (const CLI::Option* option : app.get_subcommands().front()->get_options())
      flags.push_back("--" + option->get_single_name());
  for (int i = 2; i < argc && dynamic_cast<const CLI::ExtrasError*>(&error); ++i) {
    const std::string given = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (why.find(given) == std::string::npos || !given.starts_with("--")) continue;
    return fmt::format("unknown flag '{}'{}; --help shows all", convict::printable(given),
                       convict::suggestion(given, flags));
  }
  return why + (app.get_subcommands().empty() ? "; convict --help shows the commands" : "; --help shows what is valid");
}

/// `convict help fuzz` is `convict fuzz --help`, and `convict version` is `convict --version`.
std::vector<std::string> as_flags(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if (words.size() == 1 && words[0] == "version") {
    words = {"--version"};
  }
  return words;
}

/// Runs the command. Returns false, and has said why, if there is none. --help and --version are errors to CLI11.
bool parsed(CLI::App& app, int argc, char** argv) {
  try {
    std::vector<std::string> words = as_flags(argc, argv);
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return fail(why_refused(app, error, argc, argv), convict::cli::kUsage), false;
    std::ostringstream help;
    app.exit(error, help, help);
    convict::cli::print(help.str());
    return true;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "convict puts convolution kernels on trial: differential testing and fuzzing against LibTorch, oneDNN and an "
      "exact reference",
      "convict");
  using namespace convict::cli;
  int exit_code = kClean;
  open_standard_streams();
  signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of write(), as a full disk is
  app.set_version_flag("--version", "convict " CONVICT_VERSION);
  app.set_config("--config", "", "TOML file with the same names as the flags, one section a command");
  app.get_config_ptr()->check(small_text_file(), "");
  app.allow_config_extras(CLI::config_extras_mode::error);  // a misspelt name must not be silently without effect
  app.require_subcommand(1);
  app.footer(
      "Example:\n  convict fuzz --time 1m\n"
      "Every command has --help. Exit codes of all: 2 usage, 70 a bug in convict (please report it), 71 the system "
      "refused memory, a process or to write");
  for (const auto add : {add_fuzz,        add_repro,      add_replay, add_shrink,
                         add_explain,     add_list,       add_show,   add_triage,
                         add_keep,        add_merge,      add_report, add_export,
                         add_import,      add_score,      add_bench,  add_check_certificate,
                         add_doctor,      add_completion, add_man,    add_worker,
                         add_bench_worker})
    add(app, exit_code);
  try {
    if (!parsed(app, argc, argv)) exit_code = kUsage;
    close_stdout();
    return exit_code;
  } catch (const std::exception& error) {
    const auto [line, code] = failure_of(error);
    return fail(line, code);
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// Subcommands. Each is one file in this folder, with one function that adds it to the program.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace convict::cli {

/// The exit codes of the program.
enum ExitCode : int {
  kClean = 0,          // no mismatch, or only known ones
  kMismatch = 1,       // a target has at least one new mismatch
  kUsage = 2,          // wrong usage or bad input
  kInternal = 70,      // a bug in convict itself; 70 and 71 as in sysexits(3)
  kSystem = 71,        // the system refused: no memory, no process, a full disk, a file that is gone
  kCannotJudge = 125,  // no oracle, or refused by every target; `git bisect run` skips it
  kInterrupted = 130   // by a signal, after a partial summary
};

/// Adds a command, whose callback stores run(options) in `exit_code`. The options live as long as the command.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& app, int& exit_code, int (*run)(const Options&),
                                           const std::string& name, const std::string& help,
                                           const std::string& footer) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(name, help)->footer(footer);
  command.callback([options, run, &exit_code] { exit_code = run(*options); });
  return {command, *options};
}

/// Each function adds one command, whose callback stores the exit code in `exit_code`.
void add_fuzz(CLI::App& app, int& exit_code);
void add_repro(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_shrink(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
void add_triage(CLI::App& app, int& exit_code);
void add_keep(CLI::App& app, int& exit_code);
void add_merge(CLI::App& app, int& exit_code);
void add_score(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_bench_worker(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_check_certificate(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_man(CLI::App& app, int& exit_code);
void add_worker(CLI::App& app, int& exit_code);

}  // namespace convict::cli

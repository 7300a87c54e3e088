// SPDX-License-Identifier: Apache-2.0
//
// Subcommands, and how they end. A command has a file of its name in this folder, with a function that adds it to the
// program; `shrink` is in explain.cpp, and `keeper` in worker.cpp.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "cli/parser.h"

namespace convict::cli {

/// The exit codes of the program.
enum ExitCode : int {
  kClean = 0,          // no mismatch, or only known ones
  kMismatch = 1,       // a target has at least one new mismatch
  kUsage = 2,          // wrong usage or bad input
  kInPart = 3,         // of a certificate: its numbers are confirmed, and it says more than can be checked
  kInternal = 70,      // a bug in convict itself; 70 and 71 as in sysexits(3)
  kSystem = 71,        // the system refused: no memory, no process, a full disk, a file that is gone
  kCannotJudge = 125,  // refused by every target, or who was named is not here; `git bisect run` skips it
  kInterrupted = 130   // by a signal, after a partial summary
};

/// Adds a command. Its callback stores run(options) in `exit_code`. The options live as long as the command.
template <class Options>
std::pair<Command, Options&> add_command(Command app, int& exit_code, int (*run)(const Options&),
                                         const std::string& name, const std::string& help, const std::string& footer) {
  const auto options = std::make_shared<Options>();
  const Command command = app.add_command(name, help, footer);
  command.on_call([options, run, &exit_code] { exit_code = run(*options); });
  return {command, *options};
}

/// Adds one command each, whose callback stores the exit code in `exit_code`.
void add_fuzz(Command app, int& exit_code);
void add_repro(Command app, int& exit_code);
void add_replay(Command app, int& exit_code);
void add_import(Command app, int& exit_code);
void add_list(Command app, int& exit_code);
void add_shrink(Command app, int& exit_code);
void add_explain(Command app, int& exit_code);
void add_report(Command app, int& exit_code);
void add_export(Command app, int& exit_code);
void add_show(Command app, int& exit_code);
void add_triage(Command app, int& exit_code);
void add_keep(Command app, int& exit_code);
void add_merge(Command app, int& exit_code);
void add_sample(Command app, int& exit_code);
void add_doctor(Command app, int& exit_code);
void add_new_plugin(Command app, int& exit_code);
void add_check_certificate(Command app, int& exit_code);
void add_check_causes(Command app, int& exit_code);
void add_completion(Command app, int& exit_code);
void add_worker(Command app, int& exit_code);
void add_keeper(Command app, int& exit_code);

/// How an exception ends a command.
struct Failure {
  std::string line;  // without its end
  int exit_code;     // an ExitCode
};

/// UsageError, SystemError and CannotJudge keep their text. Other refusals of the system (memory, processes) give
/// kSystem, too. Any other exception is a bug of this program.
Failure failure_of(const std::exception& error);

}  // namespace convict::cli

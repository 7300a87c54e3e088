// SPDX-License-Identifier: Apache-2.0
#include "workers/worker.h"

#include "cli/command.h"

namespace convict::cli {

void add_worker(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("worker", "Runs cases for a supervisor (internal)");
  command->group("");  // not in the help
  command->callback([&exit_code] { exit_code = workers::run_worker(); });
}

}  // namespace convict::cli

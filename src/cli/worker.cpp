// SPDX-License-Identifier: Apache-2.0
//
// The commands of processes that this program starts itself.
#include "cli/command.h"
#include "run/keeper.h"
#include "workers/supervision_settings.h"
#include "workers/worker_session.h"

namespace convict::cli {

void add_worker(Command app, int& exit_code) {
  app.add_command(workers::kWorkerCommand, "Runs cases for a supervisor (internal)").hidden().on_call([&exit_code] {
    exit_code = workers::run_worker();
  });
}

void add_keeper(Command app, int& exit_code) {
  app.add_command("keeper", "Starts clients for workers (internal)").hidden().on_call([&exit_code] {
    exit_code = run::run_keeper();
  });
}

}  // namespace convict::cli

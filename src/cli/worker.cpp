// SPDX-License-Identifier: Apache-2.0
#include "workers/worker_session.h"

#include "cli/command.h"
#include "workers/supervision_settings.h"

namespace convict::cli {

void add_worker(Command app, int& exit_code) {
  app.add_command(workers::kWorkerCommand, "Runs cases for a supervisor (internal)").hidden().on_call([&exit_code] {
    exit_code = workers::run_worker();
  });
}

}  // namespace convict::cli

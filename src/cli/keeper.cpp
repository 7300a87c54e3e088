// SPDX-License-Identifier: Apache-2.0
#include "run/keeper.h"

#include "cli/command.h"

namespace convict::cli {

void add_keeper(Command app, int& exit_code) {
  app.add_command("keeper", "Starts clients for workers (internal)").hidden().on_call([&exit_code] {
    exit_code = run::run_keeper();
  });
}

}  // namespace convict::cli

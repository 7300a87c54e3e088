// SPDX-License-Identifier: Apache-2.0
//
// Commands of the lab, which src/main.cpp adds to the program. Each is one file in this folder.
#pragma once

#include "cli/parser.h"

namespace convict::cli {

/// Each function adds one command. Its callback stores the exit code in `exit_code`.
void add_bench(Command app, int& exit_code);
void add_bench_worker(Command app, int& exit_code);
void add_findings(Command app, int& exit_code);
void add_score(Command app, int& exit_code);

}  // namespace convict::cli

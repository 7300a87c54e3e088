// SPDX-License-Identifier: Apache-2.0
//
// What a user is told when a command ends with an exception: whose mistake it was, and what to do.
#pragma once

#include <exception>
#include <string>

namespace convict::cli {

struct Failure {
  std::string line;  // without its end
  int exit_code;     // an ExitCode
};

/// UsageError and CannotJudge speak for themselves; what the system refuses (memory, processes, files) is kSystem; all
/// other exceptions are mistakes of this program.
Failure failure_of(const std::exception& error);

}  // namespace convict::cli

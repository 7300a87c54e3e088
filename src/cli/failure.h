// SPDX-License-Identifier: Apache-2.0
//
// The message and the exit code for an exception that ends a command.
#pragma once

#include <exception>
#include <string>

namespace convict::cli {

struct Failure {
  std::string line;  // without its end
  int exit_code;     // an ExitCode
};

/// UsageError, SystemError and CannotJudge keep their text. Other refusals of the system (memory, processes) give
/// kSystem, too. Any other exception is a bug of this program.
Failure failure_of(const std::exception& error);

}  // namespace convict::cli

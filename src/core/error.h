// SPDX-License-Identifier: Apache-2.0
//
// Errors are reported in three ways. Our own bugs are asserts. Faults of an implementation under test are values
// (core/verdict.h). Errors of the user or the machine are the exceptions here, caught once in main.
#pragma once

#include <stdexcept>

namespace convict::inline core {

/// Wrong usage or bad input. The message is one line that names the input and what would be valid. Exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The system refuses what the work needs: a full disk, a file that is gone. The message is one line that names it and
/// what to do. Exit code 71.
struct SystemError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The input is well-formed, but nothing here can judge it. Exit code 125.
struct CannotJudge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convict::inline core

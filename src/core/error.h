// SPDX-License-Identifier: Apache-2.0
//
// Three kinds of trouble, three tools: a bug of ours is an assert; what an implementation under test does wrong is a
// value (core/verdict.h); what the user or the machine does wrong is one of the exceptions here, caught once in main.
#pragma once

#include <stdexcept>

namespace convict::inline core {

/// Wrong usage or bad input: one line that names the thing and what would be valid. Exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Everything is well-formed, but nothing here can judge it. Exit code 125.
struct CannotJudge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convict::inline core

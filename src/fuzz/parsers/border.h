// SPDX-License-Identifier: Apache-2.0
//
// What every border of ours owes whoever hands something over it: an answer, or one line that says why not.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace convict::fuzz {

/// Prints what was expected and ends the process by abort(), which is how an engine learns of a diagnosis.
void expect(bool holds, std::string_view what);

/// Expects one line without control characters, and not an empty one.
void expect_message(std::string_view message);

/// Whether body() returned; false if it threw a UsageError, with a message as it should be. Whatever else it throws
/// ends the process.
template <class Body>
bool accepted(const Body& body) {
  try {
    body();
    return true;
  } catch (const UsageError& error) {
    expect_message(error.what());
    return false;
  }
}

}  // namespace convict::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// Checks of parsers: for any input, a parser must return, or throw an error of one line that says why.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace convict::fuzz {

/// If `holds` is false, prints `what` and ends the process by abort(), which the fuzzing engine takes as a finding.
void expect(bool holds, std::string_view what);

/// Expects one non-empty line without control characters.
void expect_message(std::string_view message);

/// Returns true if body() returned, false if it threw a UsageError or SystemError with a valid message. Any other
/// exception ends the process.
template <class Body>
bool accepted(const Body& body) {
  try {
    body();
    return true;
  } catch (const UsageError& error) {
    expect_message(error.what());
    return false;
  } catch (const SystemError& error) {
    expect_message(error.what());
    return false;
  }
}

}  // namespace convict::fuzz

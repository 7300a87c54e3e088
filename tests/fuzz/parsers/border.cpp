// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/border.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace convict::fuzz {

void expect(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "EXPECTED: {}\n", what);
  std::abort();
}

void expect_message(std::string_view message) {
  const bool controls = std::ranges::any_of(
      message, [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f; });
  expect(!message.empty() && !controls, fmt::format("a message of one line, not '{}'", message));
}

}  // namespace convict::fuzz

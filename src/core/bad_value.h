// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace convict::inline core {

/// Thrown by Field::parse; the caller adds key, value and column.
struct BadValue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace convict::inline core

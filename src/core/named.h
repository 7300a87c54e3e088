// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {

/// The value of an enum, by its name in a list in the enum's order. Throws UsageError for an unknown name.
template <class Enum, size_t N>
Enum named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw UsageError(fmt::format("'{}' is not one of {}", printable(name), fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

}  // namespace convict::inline core

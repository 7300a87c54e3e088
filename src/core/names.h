// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes of data types, names of layouts and of values of an enum.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/case.h"
#include "core/error.h"
#include "core/text.h"

namespace convict::inline core {

inline constexpr std::string_view kNoYes[] = {"no", "yes"};  // of a switch

std::string_view type_name(convict_dtype type);
size_t type_size(convict_dtype type);
double smallest_subnormal(convict_dtype type);  // of a floating-point type; 1 for integers

/// The type of the bias: f32 if dst has 8 bits, else the type of dst; but that of the sums where they are requantized.
convict_dtype bias_type(const Case& c);

/// "nchw", "nhwc", for rank 1 "ncw", for rank 3 "ncdhw"...
std::string layout_name(ActivationLayout layout, int rank);
std::string layout_name(WeightLayout layout, int rank);

/// The value of an enum, by its name in a list in the enum's order. Throws UsageError for an unknown name.
template <class Enum, size_t N>
Enum named(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw UsageError(fmt::format("'{}' is not one of {}", printable(name), fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

}  // namespace convict::inline core

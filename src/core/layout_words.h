// SPDX-License-Identifier: Apache-2.0
//
// The layouts of a case as text: "nhwc:ohwi:nhwc".
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::inline core {

/// "src:wei:dst" into its three parts; one part stands for all three. Throws BadValue.
std::array<std::string_view, 3> three_parts(std::string_view value);

/// The layouts, all three of them.
std::string text_of_layouts(const Case& c);

/// The same, or nothing if they are the usual ones.
std::string print_layouts(const Case& c);

/// `rank` of `to` is already set. Throws BadValue.
void parse_layouts(std::string_view value, Case& to);

}  // namespace convict::inline core

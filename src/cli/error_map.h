// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace convict::cli {

/// The map of a certificate (docs/store-format.md), drawn: 'x' is a wrong element, '.' a right one; one picture for
/// each image and channel that has errors, of the last two dimensions. Empty if there is none, or if it is not one.
std::string draw_map(const nlohmann::json& certificate);

}  // namespace convict::cli

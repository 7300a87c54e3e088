// SPDX-License-Identifier: Apache-2.0
//
// JSON as text. The library's own dump() is generated anew in every file that calls it, so one file does.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convict::inline core {

/// In one line, without its end. Like json_document(), replaces what is no UTF-8.
std::string json_line(const nlohmann::json& value);

/// Indented, with a newline at the end.
std::string json_document(const nlohmann::json& value);

}  // namespace convict::inline core

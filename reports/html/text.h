// SPDX-License-Identifier: Apache-2.0
//
// Makes texts of a database safe and short enough for the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convict::html {

/// JSON in ASCII only, with invalid UTF-8 replaced, and without characters that begin or end an HTML tag or comment.
std::string embeddable(const nlohmann::json& value);

/// Cuts longer text to at most `limit` bytes, at a whole character, and appends the full number of bytes.
std::string cut(const std::string& text, size_t limit);

}  // namespace convict::html

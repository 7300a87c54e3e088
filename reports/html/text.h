// SPDX-License-Identifier: Apache-2.0
//
// Texts of a database on their way into the page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace convict::html {

/// ASCII only, what is not UTF-8 replaced. No character of it ends or begins a tag or a comment of HTML.
std::string embeddable(const nlohmann::json& value);

/// The first `limit` bytes, up to a whole character, and how many there were.
std::string cut(const std::string& text, size_t limit);

}  // namespace convict::html

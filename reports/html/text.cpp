// SPDX-License-Identifier: Apache-2.0
#include "reports/html/text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace convict::html {

std::string embeddable(const nlohmann::json& value) {
  const std::string plain = value.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 16);
  for (const char c : plain) {  // '<' and '>' occur in strings only, where they may be spelt so
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else
      text += c;
  }
  return text;
}

std::string cut(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;  // inside a character
  return text.substr(0, limit) + fmt::format(" ... (cut, {} bytes)", with_commas(text.size()));
}

}  // namespace convict::html

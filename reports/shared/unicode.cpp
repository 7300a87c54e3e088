// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/unicode.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/json_text.h"

namespace convict::reports {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// Replaces invalid UTF-8, by means of the JSON library.
std::string valid_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json_line(json(text))).get<std::string>();
}

}  // namespace

std::string valid_text(const std::string& text) {
  std::string result;
  const std::string utf8 = valid_utf8(text);
  for (size_t i = 0; i < utf8.size(); ++i) {
    const std::string_view rest = std::string_view(utf8).substr(i);
    const bool noncharacter = rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf");
    const bool control = static_cast<unsigned char>(utf8[i]) < 0x20 &&
                         std::string_view("\t\n\r").find(utf8[i]) == std::string_view::npos;
    if (noncharacter) i += 2;
    if (noncharacter || control)
      result += kReplacement;
    else
      result += utf8[i];
  }
  return result;
}

}  // namespace convict::reports

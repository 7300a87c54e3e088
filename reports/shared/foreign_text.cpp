// SPDX-License-Identifier: Apache-2.0
#include "reports/shared/foreign_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "core/text.h"

namespace convict::reports {

std::string prose(std::string_view text, size_t limit) {
  std::string result;
  for (const char c : printable(trim(text), limit)) {
    if (std::string_view("\\`*_{}[]()<>#|~!&$").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string paragraphs(const std::string& text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    std::string one = prose(line);
    if (one.empty()) continue;
    const size_t first = one.find_first_not_of("0123456789");
    if (first != std::string::npos && std::string_view("-+=.").find(one[first]) != std::string_view::npos)
      one.insert(first, 1, '\\');
    result += fmt::format("\n{}\n", one);
  }
  return result;
}

std::string code_block(const std::string& lines) { return fmt::format("```\n{}```\n", lines); }

std::string code_span(const std::string& text, size_t limit) {
  std::string one = printable(text, limit);
  std::ranges::replace(one, '`', '\'');
  return fmt::format("`{}`", one.empty() ? " " : one);  // two backticks in a row would begin another kind of span
}

std::string code_cell(const std::string& text, size_t limit) {
  std::string one = code_span(text, limit);
  // Escaping does not help: in a span, implementations disagree about `\\|`.
  std::ranges::replace(one, '|', '/');
  return one;
}

std::string link_text(const std::string& link) {
  const bool plain = std::ranges::all_of(link, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-._~:/?#@!$&'*+,;=%").find(c) != std::string_view::npos;
  });
  return plain && link.starts_with("https://") ? "<" + link + ">" : prose(link);
}

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

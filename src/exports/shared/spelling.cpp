// SPDX-License-Identifier: Apache-2.0
#include "exports/shared/spelling.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "abi/element.h"
#include "core/text.h"
#include "core/verdict.h"

namespace convict::exports {

static_assert(std::endian::native == std::endian::little, "raw_bytes copies elements as they are");

std::string raw_bytes(convict_dtype type, std::span<const double> values) {
  std::string bytes;
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    bytes.resize(values.size() * sizeof(T));
    for (size_t i = 0; i < values.size(); ++i) {
      const T element = element_of<T>(values[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63];
  }
  return text;
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      literal += "\\n";
    else if (c == '"' || c == '\\')
      (literal += '\\') += c;
    else if (byte < 0x20 || byte >= 0x7f || c == '?')  // ??/ is a backslash to some compilers
      literal += fmt::format("\\{:03o}", byte);        // three digits: the next character cannot become a fourth
    else
      literal += c;
  }
  return literal + '"';
}

std::string comment_text(std::string_view text) {
  std::string result = printable(text, 300);
  for (char& c : result) {
    if (c == '\\') c = '/';  // at its end, one would continue a comment of C++,
    if (c == '?') c = '.';   // and so would ??/ for some compilers
  }
  return result;
}

std::string accusation(const ExportRequest& request) {
  if (!request.evidence) return "";
  return fmt::format("{}: {}", printable(request.evidence->suspect), printable(request.evidence->verdict));
}

bool fails_late(const ExportRequest& request) {
  return request.evidence && request.evidence->verdict == name_of(Verdict::kRefusesValid);
}

std::string certificate_text(const ExportRequest& request) {
  if (!request.evidence) return "";
  return request.evidence->certificate.dump(2, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

std::string certificate_comment(const ExportRequest& request, std::string_view mark) {
  const std::string text = certificate_text(request);
  if (text.empty()) return "";
  std::string comment = fmt::format("\n{} The certificate of convict:\n", mark);
  for (const std::string_view line : split(text, '\n'))
    comment += fmt::format("{} {}\n", mark, printable(line, line.size()));
  return comment;
}

std::string wrapped(std::span<const std::string> words, std::string_view indent) {
  constexpr size_t kWidth = 110;
  std::string text, line(indent);
  for (const std::string& one : words) {
    if (line.size() > indent.size() && line.size() + 1 + one.size() > kWidth) {
      text += line + "\n";
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += one;
  }
  return line.size() > indent.size() ? text + line + "\n" : text;
}

}  // namespace convict::exports

// SPDX-License-Identifier: Apache-2.0
#include "exports/shared/spelling.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "abi/element.h"
#include "core/case_text.h"
#include "core/names.h"
#include "core/text.h"
#include "core/verdict.h"
#include "judge/bounds.h"

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

std::string program_head(const ExportRequest& request, std::string_view mark, std::string_view what) {
  std::string text = fmt::format("{0} One convolution{1}. Written by convict " CONVICT_VERSION " from\n{0}     {2}\n",
                                 mark, what, to_text(request.c));
  return request.evidence ? text + fmt::format("{} {}\n", mark, comment_text(accusation(request))) : text;
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

namespace {

/// `type name[] = {...};`, never without an element.
std::string constant(const std::string& type, const std::string& name, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back("0");
  for (std::string& word : words) word += ',';
  return fmt::format("const {} {}[] = {{\n{}}};\n", type, name, wrapped(words, "    "));
}

std::string bits(const std::string& name, convict_dtype type, const std::vector<double>& values) {
  const size_t size = type_size(type);
  const std::string bytes = raw_bytes(type, values);
  std::vector<std::string> words;
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t word = 0;  // little-endian
    std::memcpy(&word, bytes.data() + i * size, size);
    words.push_back(fmt::format("{:#x}", word));
  }
  return constant(fmt::format("uint{}_t", 8 * size), name, std::move(words));
}

std::string numbers(const std::string& name, const std::vector<double>& values) {
  std::vector<std::string> words;
  for (const double value : values)
    words.push_back(std::isnan(value)   ? "NAN"
                    : std::isinf(value) ? (value < 0 ? "-INFINITY" : "INFINITY")
                                        : hex_float(value));
  return constant("double", name, std::move(words));
}

}  // namespace

std::string cpp_texts(const ExportRequest& request) {
  return fmt::format("const char kCase[] = {};\n\n", string_literal(to_text(request.c)));
}

std::string cpp_data(const Operands& operands) {
  std::string text;
  for (const NamedTensor& input : operands.inputs)
    text += bits(std::string(input.role) + "_bits", input.layout.dtype, input.values);
  for (const RequiredTensor& output : operands.outputs) {
    const std::string role(output.tensor.role);
    text += numbers(role + "_value", output.tensor.values);
    if (!output.old.empty()) text += bits(role + "_old", output.tensor.layout.dtype, output.old);
    if (output.by_equality()) continue;
    text += numbers(role + "_exact", output.exact) + numbers(role + "_bound", output.bounds);
  }
  return text + "\n";
}

std::string cpp_check(const RequiredTensor& output, std::string_view extents, std::string_view got) {
  const std::string_view role = output.tensor.role;
  const std::string close = output.by_equality()
                                ? "nullptr, nullptr, INFINITY"
                                : fmt::format("{0}_exact, {0}_bound, {1}", role,
                                              hex_float(judge::largest_finite(output.tensor.layout.dtype)));
  return fmt::format("check(\"{0}\", {1}, {2}, {0}_value, {3})", role, extents, got, close);
}

}  // namespace convict::exports

// SPDX-License-Identifier: Apache-2.0
#include "exports/shared/program.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/case_text.h"
#include "core/names.h"
#include "core/text.h"
#include "exports/shared/spelling.h"
#include "judge/bounds.h"

namespace convict::exports {
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

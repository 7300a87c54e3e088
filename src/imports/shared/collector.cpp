// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/collector.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/case_text.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/text.h"

namespace convict::imports {

namespace fs = std::filesystem;

void Collector::expect(size_t more) const {
  if (more > kMostImported ||
      result_.cases.size() + result_.unexpressed.size() + result_.repeated + more > kMostImported)
    throw UsageError(
        fmt::format("the input stands for more than {} cases; import parts of it", with_commas(kMostImported)));
}

void Collector::refuse(const std::string& origin, const std::string& text, const std::string& reason) {
  expect(1);
  result_.unexpressed.push_back({origin, printable(text, 300), printable(reason, 300)});
}

void Collector::add(const Case& c, const std::string& origin, const std::string& text) {
  expect(1);
  Case in_range;
  try {
    in_range = parse_case(to_text(c));  // the field table knows the range of every number
  } catch (const UsageError& error) {
    return refuse(origin, text, fmt::format("out of range: {}", error.what()));
  }
  if (const Resolved resolved = resolve(in_range); resolved.why_not)
    return refuse(origin, text, fmt::format("not legal: {}: {}", resolved.why_not.field, resolved.why_not.why));
  if (!ids_.insert(case_id(c)).second) {
    ++result_.repeated;
    return;
  }
  result_.cases.push_back({in_range, false, origin});
}

std::string read_input(const std::string& path, uintmax_t most_bytes) {
  std::error_code error;
  const std::string shown = printable(path, 300);
  if (!fs::exists(path, error)) throw UsageError(fmt::format("'{}' does not exist", shown));
  if (!fs::is_regular_file(path, error)) throw UsageError(fmt::format("'{}' is not a regular file", shown));
  const uintmax_t size = fs::file_size(path, error);
  if (error || size > most_bytes)
    throw UsageError(fmt::format("'{}' has {} bytes; at most {} are valid", shown, size, most_bytes));
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(size)))
    throw UsageError(fmt::format("'{}' cannot be read", shown));
  return text;
}

}  // namespace convict::imports

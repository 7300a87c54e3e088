// SPDX-License-Identifier: Apache-2.0
#include "cli/error_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace convict::cli {
namespace {

constexpr size_t kMostPictures = 6, kWidest = 72, kTallest = 24;

/// "[n=0, c=1]": which slice of the leading dimensions.
std::string slice_name(size_t slice, const std::vector<int64_t>& dims, size_t leading) {
  std::vector<std::string> at(leading);
  for (size_t dim = leading; dim-- > 0; slice /= static_cast<size_t>(dims[dim]))
    at[dim] = std::to_string(slice % static_cast<size_t>(dims[dim]));
  return fmt::format("[{}{}]", fmt::join(at, ", "), leading == 0 ? "" : ", ...");
}

std::string picture(std::string_view elements, size_t width) {
  std::string text;
  for (size_t row = 0; row * width < elements.size(); ++row) {
    if (row == kTallest) return text + fmt::format("      ... {} more rows\n", elements.size() / width - row);
    const std::string_view line = elements.substr(row * width, width);
    text += fmt::format("      {}{}\n", line.substr(0, kWidest), width > kWidest ? " ..." : "");
  }
  return text;
}

bool is_map(const nlohmann::json& map) {
  if (!map.is_object() || !map.contains("dims") || !map["dims"].is_array() || !map.contains("wrong") ||
      !map["wrong"].is_string() || map["dims"].empty())
    return false;
  size_t volume = 1;
  const std::string wrong = map["wrong"];
  for (const auto& dim : map["dims"]) {
    if (!dim.is_number_integer() || dim < 1 || dim > 1'000'000) return false;
    volume *= dim.get<size_t>();
    if (volume > wrong.size()) return false;
  }
  return volume == wrong.size() && wrong.find_first_not_of(".x") == std::string::npos;
}

}  // namespace

std::string draw_map(const nlohmann::json& certificate) {
  if (!certificate.is_object() || !certificate.contains("map") || !is_map(certificate["map"])) return "";
  const auto dims = certificate["map"]["dims"].get<std::vector<int64_t>>();
  const std::string wrong = certificate["map"]["wrong"];
  const size_t leading = dims.size() > 3 ? dims.size() - 2 : dims.size() - 1;
  size_t slice_size = 1;
  for (size_t dim = leading; dim < dims.size(); ++dim) slice_size *= static_cast<size_t>(dims[dim]);
  std::string text;
  size_t pictures = 0, hidden = 0;
  for (size_t slice = 0; slice * slice_size < wrong.size(); ++slice) {
    const std::string_view elements = std::string_view(wrong).substr(slice * slice_size, slice_size);
    if (elements.find('x') == std::string_view::npos) continue;
    if (++pictures > kMostPictures) {
      ++hidden;
      continue;
    }
    const std::string role = certificate["map"].value("role", "output");
    text += fmt::format("    {}{}\n", printable(role), slice_name(slice, dims, leading));
    text += picture(elements, static_cast<size_t>(dims.back()));
  }
  return hidden == 0 ? text : text + fmt::format("    and {} more slices with errors\n", hidden);
}

}  // namespace convict::cli

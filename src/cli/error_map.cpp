// SPDX-License-Identifier: Apache-2.0
#include "cli/error_map.h"

#include <fmt/format.h>

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

bool fits(const ErrorMap& map) {
  size_t volume = 1;
  for (const int64_t dim : map.dims) {
    if (dim < 1 || dim > 1'000'000) return false;
    volume *= static_cast<size_t>(dim);
    if (volume > map.wrong.size()) return false;
  }
  return !map.dims.empty() && volume == map.wrong.size() && map.wrong.find_first_not_of(".x") == std::string::npos;
}

}  // namespace

std::string draw_map(const ErrorMap& map) {
  if (!fits(map)) return "";
  const auto& [role, dims, wrong] = map;
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
    text += fmt::format("    {}{}\n", printable(role), slice_name(slice, dims, leading));
    text += picture(elements, static_cast<size_t>(dims.back()));
  }
  return hidden == 0 ? text : text + fmt::format("    and {} more slices with errors\n", hidden);
}

}  // namespace convict::cli

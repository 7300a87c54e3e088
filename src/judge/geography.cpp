// SPDX-License-Identifier: Apache-2.0
#include "judge/geography.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace convict::judge {
namespace {

/// The names of an output's `ndim` dimensions, outermost first.
std::vector<std::string> dimension_names(std::string_view role, size_t ndim) {
  constexpr std::string_view kSpatial = "dhw";
  const bool weights = role == "diff_wei" || role == "diff_weights";
  if (ndim == 1) return {"c"};
  std::vector<std::string> names =
      weights ? std::vector<std::string>{"first", "second"} : std::vector<std::string>{"n", "c"};
  for (size_t i = 2; i < ndim; ++i)
    names.push_back((weights ? "k" : "") + std::string(1, kSpatial[kSpatial.size() - ndim + i]));
  return names;
}

/// Whether the hit positions are start, start + step, ... up to the end.
bool is_every(const std::vector<size_t>& hit, size_t extent, size_t start, size_t step) {
  for (size_t i = 0; i < hit.size(); ++i)
    if (hit[i] != start + i * step) return false;
  return start + hit.size() * step >= extent;
}

/// Which of `extent` positions are hit, in words. Precondition: not all are.
std::string positions(const std::vector<size_t>& hit, size_t extent) {
  const size_t first = hit.front(), last = hit.back();
  if (hit.size() == 1) return first == extent - 1 ? "last" : first == 0 ? "first" : "inside";
  if (hit.size() == 2 && first == 0 && last == extent - 1) return "first and last";
  if (is_every(hit, extent, first, 1)) return "tail";
  if (last == hit.size() - 1) return "head";
  for (size_t step = 2; step <= extent / 2; ++step)
    if (first < step && is_every(hit, extent, first, step)) return fmt::format("every {} from {}", step, first);
  return last - first + 1 == hit.size() ? "inside" : "some";
}

/// The one group that is hit, if the hit channels are exactly its channels.
std::string only_group(const std::vector<size_t>& hit, size_t channels, size_t groups) {
  if (groups < 2 || channels % groups != 0 || hit.size() != channels / groups) return "";
  const size_t group = hit.front() / hit.size();
  if (hit.front() % hit.size() != 0 || hit.back() / hit.size() != group) return "";
  return group == 0 ? "first group" : group == groups - 1 ? "last group" : "one group";
}

}  // namespace

int64_t volume_of(const Places& places) {
  return std::accumulate(places.dims.begin(), places.dims.end(), int64_t{1}, std::multiplies());
}

std::string geography(const Places& places, int64_t groups) {
  if (static_cast<int64_t>(places.indices.size()) == volume_of(places)) return "everything";
  std::vector<std::vector<size_t>> hit(places.dims.size());
  for (const size_t index : places.indices) {
    size_t rest = index;
    for (size_t dim = places.dims.size(); dim-- > 0; rest /= static_cast<size_t>(places.dims[dim]))
      hit[dim].push_back(rest % static_cast<size_t>(places.dims[dim]));
  }
  const std::vector<std::string> names = dimension_names(places.role, places.dims.size());
  std::string text;
  size_t product = 1;
  for (size_t dim = 0; dim < hit.size(); ++dim) {
    std::ranges::sort(hit[dim]);
    hit[dim].erase(std::unique(hit[dim].begin(), hit[dim].end()), hit[dim].end());
    product *= hit[dim].size();
    const auto extent = static_cast<size_t>(places.dims[dim]);
    if (hit[dim].size() == extent) continue;
    const std::string group = names[dim] == "c" ? only_group(hit[dim], extent, static_cast<size_t>(groups)) : "";
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", names[dim],
                        group.empty() ? positions(hit[dim], extent) : group);
  }
  if (product != places.indices.size()) text += text.empty() ? "scattered" : ", scattered";
  return text;
}

}  // namespace convict::judge

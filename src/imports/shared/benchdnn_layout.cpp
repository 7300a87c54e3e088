// SPDX-License-Identifier: Apache-2.0
//
// benchdnn's memory tags. A tag lists the logical dimensions of a tensor, outermost in memory first: "acdb" is a 4-D
// tensor with dimension 1 (b) innermost; `x` stands for all dimensions that are not named; capital letters and
// digits are blocks, which no case has.
#include <fmt/format.h>

#include <algorithm>

#include "imports/importer.h"
#include "imports/shared/benchdnn_problem.h"

namespace convict::imports {
namespace {

[[noreturn]] void unknown_layout(std::string_view tag) { throw NotExpressible(fmt::format("layout: {}", tag)); }

/// "nhwc" as "acdb": `letters` are the names of the dimensions in logical order.
std::string by_position(std::string_view tag, std::string_view letters) {
  std::string result;
  for (const char c : tag) {
    const size_t dim = letters.find(c);
    if (dim == std::string_view::npos) unknown_layout(tag);
    result += static_cast<char>('a' + dim);
  }
  return result;
}

/// The permutation of `dims` dimensions that these letters mean, `x` expanded to all that follow the largest one; `tag`
/// is what was written.
std::string permutation(std::string_view letters, size_t dims, std::string_view tag) {
  char largest = 'a' - 1;
  for (const char c : letters)
    if (c != 'x') largest = std::max(largest, c);
  std::string all, result;
  for (size_t i = 0; i < dims; ++i) all += static_cast<char>('a' + i);
  for (const char c : letters) {
    if (c == 'x')
      for (char rest = largest + 1; rest < static_cast<char>('a' + dims); ++rest) result += rest;
    else
      result += c;
  }
  if (!std::ranges::is_permutation(result, all)) unknown_layout(tag);
  return result;
}

std::string spatial_names(int rank) { return std::string(std::string_view("dhw").substr(kAxes - rank)); }

}  // namespace

ActivationLayout benchdnn_activation_layout(std::string_view tag, int rank) {
  if (tag == "any" || tag == "undef") return ActivationLayout::kChannelsFirst;
  const std::string names = "nc" + spatial_names(rank);
  const size_t dims = 2 + static_cast<size_t>(rank);
  const bool named = tag.find('n') != std::string_view::npos;
  const std::string order = permutation(named ? by_position(tag, names) : std::string(tag), dims, tag);
  if (order == permutation("abx", dims, tag)) return ActivationLayout::kChannelsFirst;
  if (order == permutation("axb", dims, tag)) return ActivationLayout::kChannelsLast;
  unknown_layout(tag);
}

WeightLayout benchdnn_weight_layout(std::string_view tag, const BenchdnnProblem& problem) {
  const Case& c = problem.c;
  if (tag == "any" || tag == "undef") return default_weight_layout(c.op);
  const std::string names = (problem.weights_have_groups ? "goi" : "oi") + spatial_names(c.rank);
  const bool named = tag.find('o') != std::string_view::npos || tag.find('i') != std::string_view::npos;
  std::string order = permutation(named ? by_position(tag, names) : std::string(tag), names.size(), tag);
  for (char& dim : order) dim = names[static_cast<size_t>(dim - 'a')];
  if (problem.weights_have_groups) {
    // Our weights count all groups in one of their channel dimensions: in o for conv, in i for conv_transpose. The
    // groups have to lie directly around it, unless there is only one.
    const size_t at = order.find('g');
    const char counted = c.op == CONVICT_CONV ? 'o' : 'i';
    if (c.groups > 1 && (at + 1 >= order.size() || order[at + 1] != counted)) unknown_layout(tag);
    order.erase(at, 1);
  }
  const std::string taps = spatial_names(c.rank);
  if (order == "oi" + taps) return WeightLayout::kOihw;
  if (order == "io" + taps) return WeightLayout::kIohw;
  if (order == "o" + taps + "i") return WeightLayout::kOhwi;
  if (order == taps + "io") return WeightLayout::kHwio;
  unknown_layout(tag);
}

}  // namespace convict::imports

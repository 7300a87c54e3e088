// SPDX-License-Identifier: Apache-2.0
//
// Conditions on numbers: groups, channels, kernels, strides, padding, extents.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "abi/validity.h"
#include "tests/narrow/condition.h"

namespace convict::narrow {
namespace {

/// A number that the layer has a multiple of 4, 8 or 16 in.
template <class Number>
std::optional<Condition> multiple(const Seen& layer, Random& random, Category category, std::string_view name,
                                  const Number& number) {
  constexpr std::array<int64_t, 3> kModuli = {4, 8, 16};
  constexpr std::array<double, 3> kShares = {0.25, 0.15, 0.07};
  const auto which = static_cast<size_t>(random.below(3));
  const int64_t modulus = kModuli[which], value = number(layer);
  if (value == 0 || value % modulus != 0) return {};
  return Condition{category, fmt::format("{} % {} = 0", name, modulus), kShares[which],
                   [=](const Seen& seen) { return number(seen) % modulus == 0; }};
}

std::optional<Condition> ic_multiple(const Seen& layer, Random& random) {
  return multiple(layer, random, Category::kChannels, "ic", [](const Seen& seen) { return seen.p.ic; });
}
std::optional<Condition> oc_multiple(const Seen& layer, Random& random) {
  return multiple(layer, random, Category::kChannels, "oc", [](const Seen& seen) { return seen.p.oc; });
}
std::optional<Condition> group_multiple(const Seen& layer, Random& random) {
  return multiple(layer, random, Category::kChannels, "ic/g", [](const Seen& seen) { return seen.ic_per_group(); });
}
std::optional<Condition> product_multiple(const Seen& layer, Random& random) {
  return multiple(layer, random, Category::kChannels, "ic/g * taps",
                  [](const Seen& seen) { return seen.ic_per_group() * seen.taps(); });
}
std::optional<Condition> row_multiple(const Seen& layer, Random& random) {
  return multiple(layer, random, Category::kStride, "out[last]",
                  [](const Seen& seen) { return seen.p.out[seen.last()]; });
}

std::optional<Condition> groups(const Seen& layer, Random& random) {
  const convict_problem& p = layer.p;
  if (p.groups == 1)
    return Condition{Category::kGroups, "one group", 0.6, [](const Seen& seen) { return seen.p.groups == 1; }};
  if (p.groups == p.ic && p.groups == p.oc && random.chance(0.7))
    return Condition{Category::kGroups, "groups = ic = oc", 0.07,
                     [](const Seen& seen) { return seen.p.groups == seen.p.ic && seen.p.groups == seen.p.oc; }};
  if (p.groups == p.ic)
    return Condition{Category::kGroups, "groups = ic", 0.12,
                     [](const Seen& seen) { return seen.p.groups == seen.p.ic; }};
  return Condition{Category::kGroups, "several groups", 0.35, [](const Seen& seen) { return seen.p.groups > 1; }};
}

std::optional<Condition> channels_alike(const Seen& layer, Random&) {
  if (layer.p.ic != layer.p.oc) return {};
  return Condition{Category::kChannels, "ic = oc", 0.2, [](const Seen& seen) { return seen.p.ic == seen.p.oc; }};
}

std::optional<Condition> few_channels(const Seen& layer, Random&) {
  const int64_t count = layer.ic_per_group();
  if (count > 4) return {};
  return Condition{Category::kChannels, fmt::format("ic/g = {}", count), count == 1 ? 0.3 : 0.08,
                   [count](const Seen& seen) { return seen.ic_per_group() == count; }};
}

std::optional<Condition> many_channels(const Seen& layer, Random&) {
  if (layer.p.oc < 8) return {};
  return Condition{Category::kChannels, "oc >= 8", 0.4, [](const Seen& seen) { return seen.p.oc >= 8; }};
}

/// What a kernel keeps in a buffer of fixed size: a row of all channels.
std::optional<Condition> row_bound(const Seen& layer, Random& random) {
  const int64_t row = layer.p.ic * layer.p.in[layer.last()], bound = row * random.between(1, 3);
  if (row < 1 || bound > 200) return {};
  return Condition{Category::kChannels, fmt::format("ic * in[last] <= {}", bound), 0.6,
                   [bound](const Seen& seen) { return seen.p.ic * seen.p.in[seen.last()] <= bound; }};
}

std::optional<Condition> kernel_is_stride(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.kernel[axis] == seen.p.stride[axis]; });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kKernel, "k = s", 0.12, holds};
}

std::optional<Condition> kernel_parity(const Seen& layer, Random&) {
  const int64_t parity = layer.p.kernel[0] % 2;
  const auto holds = [parity](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.kernel[axis] % 2 == parity; });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kKernel, parity ? "odd kernels" : "even kernels", parity ? 0.4 : 0.2, holds};
}

std::optional<Condition> three_or_five(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.kernel[axis] == 3 || seen.p.kernel[axis] == 5; });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kKernel, "k in {3, 5}", 0.15, holds};
}

std::optional<Condition> this_kernel(const Seen& layer, Random&) {
  const int64_t k = layer.p.kernel[0];
  const auto holds = [k](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.kernel[axis] == k; });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kKernel, fmt::format("k = {}", k), k == 1 ? 0.12 : k == 3 ? 0.08 : 0.04, holds};
}

std::optional<Condition> no_unit_kernel(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) { return seen.taps() > 1; };
  if (!holds(layer)) return {};
  return Condition{Category::kKernel, "more than one tap", 0.8, holds};
}

std::optional<Condition> square_kernel(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.kernel[axis] == seen.p.kernel[0]; });
  };
  if (layer.p.rank < 2 || !holds(layer)) return {};
  return Condition{Category::kKernel, "square kernels", 0.6, holds};
}

std::optional<Condition> strides(const Seen& layer, Random& random) {
  const int64_t s = layer.p.stride[0], most = s <= 2 && random.chance(0.5) ? 2 : s, least = most == s ? s : 1;
  const auto holds = [=](const Seen& seen) {
    return seen.every_axis([&](int axis) { return least <= seen.p.stride[axis] && seen.p.stride[axis] <= most; });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kStride, least == most ? fmt::format("s = {}", s) : "s in {1, 2}",
                   least != most ? 0.55 : s == 1 ? 0.35 : s == 2 ? 0.15 : 0.05, holds};
}

std::optional<Condition> strides_alike(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.stride[axis] == seen.p.stride[0]; });
  };
  if (layer.p.rank < 2 || !holds(layer)) return {};
  return Condition{Category::kStride, "strides alike", 0.6, holds};
}

std::optional<Condition> dilation(const Seen& layer, Random&) {
  const int64_t d = layer.p.dilation[0];
  const auto holds = [d](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.dilation[axis] == d; });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kStride, fmt::format("d = {}", d), d == 1 ? 0.45 : 0.1, holds};
}

std::optional<Condition> padding_word(const Seen& layer, Random&) {
  constexpr std::array<std::string_view, 4> kNames = {"explicit padding", "SAME, upper", "SAME, lower", "VALID"};
  const convict_padding word = layer.p.padding;
  if (word == CONVICT_EXPLICIT_PADDING) return {};
  return Condition{Category::kPadding, std::string(kNames[word]), 0.06,
                   [word](const Seen& seen) { return seen.p.padding == word; }};
}

/// The numbers of the padding: none, half of the window, alike at both ends, all before the first element, or at least
/// below the window.
std::optional<Condition> padding_numbers(const Seen& layer, Random& random) {
  struct Form {
    std::string_view text;
    double share;
    bool (*holds)(const convict_problem& p, int axis);
  };
  static constexpr std::array<Form, 5> kForms = {{
      {"no padding", 0.3,
       [](const convict_problem& p, int axis) { return p.pad_begin[axis] == 0 && p.pad_end[axis] == 0; }},
      {"p = window/2", 0.05,
       [](const convict_problem& p, int axis) {
         const int64_t half = window(p.kernel[axis], p.dilation[axis]) / 2;
         return p.pad_begin[axis] == half && p.pad_end[axis] == half;
       }},
      {"causal padding", 0.02,
       [](const convict_problem& p, int axis) {
         return p.pad_begin[axis] == window(p.kernel[axis], p.dilation[axis]) - 1 && p.pad_end[axis] == 0;
       }},
      {"symmetric padding", 0.5,
       [](const convict_problem& p, int axis) { return p.pad_begin[axis] == p.pad_end[axis]; }},
      {"0 <= p < k", 0.7,
       [](const convict_problem& p, int axis) {
         return std::min(p.pad_begin[axis], p.pad_end[axis]) >= 0 &&
                std::max(p.pad_begin[axis], p.pad_end[axis]) < p.kernel[axis];
       }},
  }};
  const Form& form = kForms[static_cast<size_t>(random.below(kForms.size()))];
  const auto holds = [&form](const Seen& seen) {
    return seen.every_axis([&](int axis) { return form.holds(seen.p, axis); });
  };
  if (!holds(layer)) return {};
  return Condition{Category::kPadding, std::string(form.text), form.share, holds};
}

std::optional<Condition> output_padding(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.output_padding[axis] == 0; });
  };
  if (layer.p.op == CONVICT_CONV || !holds(layer)) return {};
  return Condition{Category::kPadding, "no output padding", 0.5, holds};
}

std::optional<Condition> extents_alike(const Seen& layer, Random&) {
  const auto holds = [](const Seen& seen) {
    return seen.every_axis([&](int axis) { return seen.p.in[axis] == seen.p.in[0]; });
  };
  if (layer.p.rank < 2 || !holds(layer)) return {};
  return Condition{Category::kStride, "square images", 0.45, holds};
}

}  // namespace

int64_t Seen::taps() const {
  int64_t count = 1;
  for (int axis = 0; axis < p.rank; ++axis) count *= p.kernel[axis];
  return count;
}

std::vector<Kind> size_kinds() {
  return {{"groups", 4, groups},
          {"ic_multiple", 2, ic_multiple},
          {"oc_multiple", 2, oc_multiple},
          {"group_multiple", 1, group_multiple},
          {"product_multiple", 1.5, product_multiple},
          {"row_multiple", 1, row_multiple},
          {"channels_alike", 1, channels_alike},
          {"few_channels", 1, few_channels},
          {"many_channels", 0.5, many_channels},
          {"row_bound", 1, row_bound},
          {"kernel_is_stride", 3, kernel_is_stride},
          {"kernel_parity", 1, kernel_parity},
          {"three_or_five", 1, three_or_five},
          {"this_kernel", 1.5, this_kernel},
          {"no_unit_kernel", 1, no_unit_kernel},
          {"square_kernel", 0.7, square_kernel},
          {"strides", 1.5, strides},
          {"strides_alike", 0.7, strides_alike},
          {"dilation", 2, dilation},
          {"padding_word", 2, padding_word},
          {"padding_numbers", 4, padding_numbers},
          {"output_padding", 1, output_padding},
          {"extents_alike", 0.5, extents_alike}};
}

}  // namespace convict::narrow

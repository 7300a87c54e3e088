// SPDX-License-Identifier: Apache-2.0
//
// Conditions on what has words: operations, types, quantization, layouts, switches.
#include <fmt/format.h>

#include <array>
#include <span>

#include "abi/validity.h"
#include "core/names.h"
#include "tests/narrow/condition.h"

namespace convict::narrow {
namespace {

constexpr std::array<std::string_view, 3> kPasses = {"forward", "backward_data", "backward_weights"};

std::optional<Condition> operation(const Seen& layer, Random&) {
  const convict_op op = layer.p.op;
  return Condition{Category::kOperation, op == CONVICT_CONV ? "convolution" : "transposed convolution", 0.5,
                   [op](const Seen& seen) { return seen.p.op == op; }};
}

std::optional<Condition> pass(const Seen& layer, Random&) {
  const convict_pass pass = layer.p.pass;
  return Condition{Category::kOperation, std::string(kPasses[static_cast<size_t>(pass - CONVICT_FORWARD)]),
                   is_integer(layer.src().dtype) ? 1.0 : 0.33,
                   [pass](const Seen& seen) { return seen.p.pass == pass; }};
}

std::optional<Condition> rank(const Seen& layer, Random&) {
  const int rank = layer.p.rank;
  return Condition{Category::kOperation, fmt::format("rank = {}", rank), rank == 2 ? 0.5 : 0.25,
                   [rank](const Seen& seen) { return seen.p.rank == rank; }};
}

/// Of `all`.
double share_of_types(convict_dtype src, convict_dtype wei, convict_dtype dst, bool is_requantized) {
  if (src == CONVICT_S16) return 0.005;
  if (is_integer(src)) return is_requantized ? 0.006 : 0.005;
  if (src != wei || wei != dst) return 0.0015;
  return src == CONVICT_F32 ? 0.8 : 0.05;
}

std::optional<Condition> types(const Seen& layer, Random&) {
  const convict_dtype src = layer.src().dtype, wei = layer.wei().dtype, dst = layer.dst().dtype;
  const double share = share_of_types(src, wei, dst, layer.p.requantization != CONVICT_NO_REQUANTIZATION);
  return Condition{Category::kType, fmt::format("{}:{}:{}", type_name(src), type_name(wei), type_name(dst)), share,
                   [=](const Seen& seen) {
                     return seen.src().dtype == src && seen.wei().dtype == wei && seen.dst().dtype == dst;
                   }};
}

std::optional<Condition> requantization(const Seen& layer, Random&) {
  constexpr std::array<std::string_view, 4> kNames = {"no requantization", "single rounding", "double rounding",
                                                      "rounding to even"};
  if (!is_integer(layer.dst().dtype) || layer.dst().dtype == CONVICT_S32) return {};
  const convict_requantization kind = layer.p.requantization;
  const bool is_only_kind = layer.src().dtype == CONVICT_S16;
  return Condition{Category::kQuantization, std::string(kNames[kind]), is_only_kind ? 1.0 : kind == 0 ? 0.4 : 0.2,
                   [kind](const Seen& seen) { return seen.p.requantization == kind; }};
}

std::optional<Condition> factors(const Seen& layer, Random&) {
  const auto of = [](const Seen& seen) -> const convict_tensor& {
    return seen.t.multiplier.ndim ? seen.t.multiplier : seen.t.scale;
  };
  if (of(layer).ndim == 0 || layer.p.oc < 2) return {};
  const bool of_channels = of(layer).dims[0] == layer.p.oc;
  return Condition{Category::kQuantization, of_channels ? "a factor for each channel" : "one factor for all channels",
                   0.45, [=](const Seen& seen) {
                     return of(seen).ndim == 1 && of(seen).dims[0] == (of_channels ? seen.p.oc : 1);
                   }};
}

bool has_zero_point(const convict_tensor& tensor) {
  return tensor.dtype == CONVICT_S8 || tensor.dtype == CONVICT_U8;
}

std::optional<Condition> src_zero(const Seen& layer, Random&) {
  if (!has_zero_point(layer.src()) || layer.p.src_zero_point != 0) return {};
  return Condition{Category::kQuantization, "zero point of src = 0", 0.35,
                   [](const Seen& seen) { return seen.p.src_zero_point == 0; }};
}

std::optional<Condition> dst_zero(const Seen& layer, Random&) {
  if (!has_zero_point(layer.dst()) || layer.p.dst_zero_point != 0) return {};
  return Condition{Category::kQuantization, "zero point of dst = 0", 0.4,
                   [](const Seen& seen) { return seen.p.dst_zero_point == 0; }};
}

/// Whether results end where their type ends.
bool has_no_clamp(const Seen& seen) {
  const convict_dtype type = seen.dst().dtype;
  const int low = type == CONVICT_U8 ? 0 : type == CONVICT_S8 ? -128 : kNoClampLow;
  const int high = type == CONVICT_U8 ? 255 : type == CONVICT_S8 ? 127 : kNoClampHigh;
  return seen.p.clamp_low <= low && seen.p.clamp_high >= high;
}

std::optional<Condition> clamp(const Seen& layer, Random&) {
  if (layer.p.requantization == CONVICT_NO_REQUANTIZATION) return {};
  if (has_no_clamp(layer)) return Condition{Category::kQuantization, "no clamp", 0.7, has_no_clamp};
  return Condition{Category::kQuantization, "clamp_low = zero point of dst", 0.35,
                   [](const Seen& seen) { return seen.p.clamp_low == seen.p.dst_zero_point; }};
}

/// Whether a tensor is dense with its dimensions in this order, outermost first. A strict kernel compares the strides
/// of dimensions of extent 1, too.
bool is_dense(const convict_tensor& tensor, std::span<const int> order, bool strict) {
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int dim = order[i];
    if ((strict || tensor.dims[dim] > 1) && tensor.strides[dim] != stride) return false;
    stride *= tensor.dims[dim];
  }
  return true;
}

/// The order of dimensions for three letters: 0, 1, and s for all spatial axes.
std::vector<int> order_of(std::string_view letters, int rank) {
  std::vector<int> order;
  for (const char letter : letters) {
    if (letter != 's') order.push_back(letter - '0');
    for (int axis = 0; letter == 's' && axis < rank; ++axis) order.push_back(2 + axis);
  }
  return order;
}

using Operand = const convict_tensor& (Seen::*)() const;

std::optional<Condition> layout(const Seen& layer, Random& random, Operand operand, std::string_view name,
                                std::span<const std::string_view> orders) {
  const bool strict = random.chance(0.5);
  for (const std::string_view letters : orders) {
    if (!is_dense((layer.*operand)(), order_of(letters, layer.p.rank), true)) continue;
    const double share = name == "wei" ? (letters == "01s" ? 0.75 : 0.09) : letters == "0s1" ? 0.35 : 0.65;
    return Condition{Category::kLayout, fmt::format("{} dense as {}{}", name, letters, strict ? ", strictly" : ""),
                     share, [=, text = std::string(letters)](const Seen& seen) {
                       return is_dense((seen.*operand)(), order_of(text, seen.p.rank), strict);
                     }};
  }
  return {};
}

constexpr std::array<std::string_view, 2> kActivations = {"01s", "0s1"};
constexpr std::array<std::string_view, 6> kWeights = {"01s", "10s", "0s1", "1s0", "s10", "s01"};

std::optional<Condition> src_layout(const Seen& layer, Random& random) {
  return layout(layer, random, &Seen::src, "src", kActivations);
}
std::optional<Condition> dst_layout(const Seen& layer, Random& random) {
  return layout(layer, random, &Seen::dst, "dst", kActivations);
}
std::optional<Condition> wei_layout(const Seen& layer, Random& random) {
  return layout(layer, random, &Seen::wei, "wei", kWeights);
}

std::optional<Condition> bias(const Seen& layer, Random&) {
  if (layer.p.pass == CONVICT_BACKWARD_DATA) return {};
  const bool has_bias = layer.p.has_bias != 0;
  return Condition{Category::kOther, has_bias ? "a bias" : "no bias", 0.5,
                   [has_bias](const Seen& seen) { return (seen.p.has_bias != 0) == has_bias; }};
}

std::optional<Condition> relu(const Seen& layer, Random&) {
  if (!layer.p.relu) return {};
  return Condition{Category::kOther, "a ReLU", 0.05, [](const Seen& seen) { return seen.p.relu != 0; }};
}

std::optional<Condition> threads(const Seen& layer, Random&) {
  const bool is_single = layer.p.threads == 1;
  return Condition{Category::kOther, is_single ? "one thread" : "several threads", is_single ? 0.85 : 0.15,
                   [is_single](const Seen& seen) { return (seen.p.threads == 1) == is_single; }};
}

std::optional<Condition> batch(const Seen& layer, Random&) {
  if (layer.p.batch != 1) return {};
  return Condition{Category::kOther, "batch = 1", 0.35, [](const Seen& seen) { return seen.p.batch == 1; }};
}

}  // namespace

std::vector<Kind> word_kinds() {
  return {{"operation", 3, operation},
          {"pass", 5, pass},
          {"rank", 3, rank},
          {"types", 8, types},
          {"requantization", 6, requantization},
          {"factors", 3, factors},
          {"src_zero", 1, src_zero},
          {"dst_zero", 1, dst_zero},
          {"clamp", 1, clamp},
          {"src_layout", 3, src_layout},
          {"dst_layout", 3, dst_layout},
          {"wei_layout", 3, wei_layout},
          {"bias", 1, bias},
          {"relu", 1, relu},
          {"threads", 1, threads},
          {"batch", 1, batch}};
}

}  // namespace convict::narrow

// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/benchdnn_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "abi/validity.h"
#include "core/text.h"
#include "imports/importer.h"

namespace convict::imports {
namespace {

constexpr std::string_view kAxisLetters = "dhw";

/// One axis as written; 0 is "not given" for all sizes, as in benchdnn.
struct Axis {
  int64_t in = 0, out = 0, kernel = 0, stride = 1, dilation = 0;  // dilation 0 is dense
  std::optional<int64_t> pad;                                     // at the begin

  bool absent() const {
    return in == 0 && out == 0 && kernel == 0 && dilation == 0 && stride == 1 && pad.value_or(0) == 0;
  }
  int64_t extent() const { return (kernel - 1) * (dilation + 1) + 1; }  // of the window
};

struct Written {
  std::optional<int64_t> groups;
  int64_t mb = 2, ic = 0, oc = 0;
  std::array<Axis, kAxes> axes;
  std::string name;
};

[[noreturn]] void not_a_descriptor(const std::string& why) { throw NotExpressible("not a descriptor: " + why); }

/// Stores the number of one key; false if there is no such key.
bool set(Written& to, std::string_view key, int64_t value) {
  if (key == "g")
    to.groups = value;
  else if (key == "mb")
    to.mb = value;
  else if (key == "ic")
    to.ic = value;
  else if (key == "oc")
    to.oc = value;
  else if (const size_t axis = key.size() == 2 ? kAxisLetters.find(key[1]) : std::string_view::npos;
           axis != std::string_view::npos) {
    Axis& of = to.axes[axis];
    switch (key[0]) {
      case 'i': of.in = value; break;
      case 'o': of.out = value; break;
      case 'k': of.kernel = value; break;
      case 's': of.stride = value; break;
      case 'p': of.pad = value; break;
      case 'd': of.dilation = value; break;
      default: return false;
    }
  } else {
    return false;
  }
  return true;
}

Written parse(std::string_view text) {
  Written result;
  size_t at = 0;
  const auto run = [&](auto&& belongs) {
    const size_t begin = at;
    while (at < text.size() && belongs(static_cast<unsigned char>(text[at]))) ++at;
    return text.substr(begin, at - begin);
  };
  while (at < text.size()) {
    if (text[at] == 'n') {
      result.name = text.substr(at + 1);
      std::erase_if(result.name, [](char c) { return c == '"' || c == '\''; });
      break;
    }
    const std::string_view key = run([](unsigned char c) { return std::isalpha(c) != 0; });
    const std::string_view digits = run([](unsigned char c) { return std::isdigit(c) != 0; });
    const auto value = parse_integer(digits);
    if (key.empty()) not_a_descriptor(fmt::format("'{}' where a key should be", text.substr(at - digits.size(), 8)));
    if (!value) not_a_descriptor(fmt::format("'{}' without a number that fits", key));
    if (*value > kLargestNumber) not_a_descriptor(fmt::format("{}{} is above {}", key, *value, kLargestNumber));
    if (!set(result, key, *value)) not_a_descriptor(fmt::format("unknown key '{}'", key));
    if (at < text.size() && text[at] == '_') ++at;
  }
  return result;
}

/// Output extent and padding from each other. Integer divisions truncate toward zero, as in benchdnn.
void infer(Axis& axis, char letter, convict_op op) {
  if (axis.in == 0 || axis.kernel == 0) not_a_descriptor(fmt::format("i{0} and k{0} are not both given", letter));
  if (axis.stride == 0) not_a_descriptor(fmt::format("s{} is 0", letter));
  const bool conv = op == CONVICT_CONV;
  const int64_t window = axis.extent();
  if (axis.out == 0) {
    const int64_t pad = axis.pad.value_or(0);
    axis.out = conv ? (axis.in - window + 2 * pad) / axis.stride + 1 : (axis.in - 1) * axis.stride + window - 2 * pad;
    axis.pad = pad;
    if (axis.out <= 0) not_a_descriptor(fmt::format("o{} would be {}", letter, axis.out));
  } else if (!axis.pad) {
    axis.pad = conv ? ((axis.out - 1) * axis.stride - axis.in + window) / 2
                    : ((axis.in - 1) * axis.stride - axis.out + window) / 2;
  }
}

/// Returns the number of spatial axes. Copies axes that a square or cubic problem omits from the outermost one.
int complete(std::array<Axis, kAxes>& axes) {
  const bool d = axes[0].out != 0, h = axes[1].out != 0, w = axes[2].out != 0;
  if (d && h != w) not_a_descriptor("of h and w only one is given");
  if (d && !h) axes[1] = axes[2] = axes[0];
  if (d) return 3;
  if (h && !w) axes[2] = axes[1];
  if (h) return 2;
  if (!w) not_a_descriptor("no spatial axis is given");
  return 1;
}

/// Sets the padding so that there are exactly `axis.out` outputs; benchdnn derives the padding at the end from that. If
/// symmetric padding (or output padding) gives as many, prefers it to a remainder that no window reaches.
void set_padding(const Axis& axis, int i, Case& c) {
  const int64_t begin = axis.pad.value_or(0), window = axis.extent();
  c.pad_begin[i] = c.pad_end[i] = begin;
  if (c.op == CONVICT_CONV) {
    if (conv_extent(axis.in, axis.kernel, axis.stride, axis.dilation + 1, begin, begin) != axis.out)
      c.pad_end[i] = (axis.out - 1) * axis.stride - axis.in + window - begin;
    return;
  }
  const int64_t missing = axis.out - ((axis.in - 1) * axis.stride + window - 2 * begin);
  if (missing >= 0 && missing < std::max(axis.stride, axis.dilation + 1))
    c.output_padding[i] = missing;
  else
    c.pad_end[i] = begin - missing;
}

// Memory tags. A tag lists the logical dimensions of a tensor, outermost in memory first: "acdb" is a 4-D tensor with
// dimension 1 (b) innermost; `x` stands for all dimensions that are not named; capital letters and digits are blocks,
// which no case has.

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

BenchdnnProblem parse_benchdnn_problem(std::string_view text, convict_op op) {
  Written written = parse(text);
  if (written.groups.value_or(1) == 0 || written.ic == 0 || written.oc == 0)
    not_a_descriptor("g, ic or oc is 0 or missing");
  for (int i = 0; i < kAxes; ++i)
    if (!written.axes[i].absent()) infer(written.axes[i], kAxisLetters[i], op);
  BenchdnnProblem result;
  Case& c = result.c;
  c.op = op;
  c.wei_layout = default_weight_layout(op);
  c.rank = complete(written.axes);
  c.groups = written.groups.value_or(1);
  c.batch = result.mb = written.mb;
  c.ic = written.ic;
  c.oc = written.oc;
  for (int i = 0; i < c.rank; ++i) {
    const Axis& axis = written.axes[kAxes - c.rank + i];
    c.in[i] = axis.in;
    c.kernel[i] = axis.kernel;
    c.stride[i] = axis.stride;
    c.dilation[i] = axis.dilation + 1;
    set_padding(axis, i, c);
  }
  result.weights_have_groups = written.groups.has_value();
  result.name = written.name;
  return result;
}

void set_benchdnn_types(std::string_view text, Case& to) {
  constexpr std::pair<std::string_view, std::optional<convict_dtype>> kTypes[] = {
      {"bf16", CONVICT_BF16}, {"f16", CONVICT_F16},  {"f32", CONVICT_F32}, {"f64", CONVICT_F64}, {"u8", std::nullopt},
      {"s8", std::nullopt},   {"s32", std::nullopt}, {"u4", std::nullopt}, {"s4", std::nullopt}};
  std::vector<convict_dtype> types;
  std::string_view plain = text;  // v2 names ranges of data too: "f32_wino"
  for (const std::string_view range : {"_no_limits", "_wino", "_full"})
    if (plain.ends_with(range)) plain.remove_suffix(range.size());
  for (std::string_view rest = plain; !rest.empty();) {
    if (rest.front() == ':') {
      rest.remove_prefix(1);
      continue;
    }
    const auto type = std::ranges::find_if(kTypes, [&](const auto& known) { return rest.starts_with(known.first); });
    if (type == std::end(kTypes) || rest.starts_with("f8_")) throw NotExpressible(fmt::format("data type: {}", text));
    if (!type->second) throw NotExpressible(fmt::format("int8: {}", text));
    types.push_back(*type->second);
    rest.remove_prefix(type->first.size());
  }
  if (types.size() == 1) types.resize(3, types.front());
  if (types.size() != 3) throw NotExpressible(fmt::format("data type: {}", text));
  to.src_type = types[0];
  to.wei_type = types[1];
  to.dst_type = types[2];
}

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

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "abi/validity.h"
#include "core/text.h"
#include "imports/importer.h"
#include "imports/shared/onnx_file.h"

namespace convict::imports {
namespace {

constexpr std::string_view kAttributes[] = {"auto_pad", "dilations",      "group",        "kernel_shape",
                                            "pads",     "output_padding", "output_shape", "strides"};

[[noreturn]] void malformed(const std::string& why) { throw NotExpressible("malformed model: " + why); }

/// The attribute, which must have `count` numbers; empty if it is absent.
std::vector<int64_t> numbers(const OnnxNode& node, const char* name, size_t count) {
  const auto found = node.numbers.find(name);
  if (found == node.numbers.end()) return {};
  if (found->second.size() != count)
    malformed(fmt::format("{} has {} values for {}", name, found->second.size(), count));
  for (const int64_t value : found->second)
    if (value < -kLargestNumber || value > kLargestNumber) malformed(fmt::format("{} of {}", name, value));
  return found->second;
}

void set_axes(const OnnxNode& node, const char* name, const Case& c, Axes& to) {
  const std::vector<int64_t> values = numbers(node, name, static_cast<size_t>(c.rank));
  std::ranges::copy(values, to.begin());
}

void set_padding(const OnnxNode& node, Case& c) {
  const auto rank = static_cast<size_t>(c.rank);
  const auto word = node.words.find("auto_pad");
  const std::string mode = word == node.words.end() ? "NOTSET" : word->second;
  if (mode == "SAME_UPPER")
    c.pad_mode = PadMode::kSameUpper;
  else if (mode == "SAME_LOWER")
    c.pad_mode = PadMode::kSameLower;
  else if (mode == "VALID")
    c.pad_mode = PadMode::kValid;
  else if (mode != "NOTSET")
    malformed(fmt::format("auto_pad '{}'", printable(mode)));
  if (c.pad_mode != PadMode::kExplicit) return;
  const std::vector<int64_t> pads = numbers(node, "pads", 2 * rank);
  for (size_t i = 0; i < rank && !pads.empty(); ++i) {
    c.pad_begin[i] = pads[i];
    c.pad_end[i] = pads[rank + i];
  }
}

/// `output_shape` replaces pads. A surplus of the transposed convolution is cropped, half on each side, an odd one at
/// the end for SAME_UPPER, else at the begin. A deficit becomes output padding: the specification does not say so, but
/// its own test data expects it.
void set_output_shape(const OnnxNode& node, Case& c) {
  const std::vector<int64_t> shape = numbers(node, "output_shape", static_cast<size_t>(c.rank));
  if (shape.empty()) return;
  const bool upper = c.pad_mode == PadMode::kSameUpper;
  c.pad_mode = PadMode::kExplicit;
  for (int i = 0; i < c.rank; ++i) {
    const int64_t full = (c.in[i] - 1) * c.stride[i] + window(c.kernel[i], c.dilation[i]) + c.output_padding[i];
    const int64_t total = full - shape[static_cast<size_t>(i)], most = std::max<int64_t>(total, 0);
    c.pad_begin[i] = upper ? most / 2 : most - most / 2;
    c.pad_end[i] = most - c.pad_begin[i];
    const bool as_output_padding = c.output_padding[i] - total < std::max(c.stride[i], c.dilation[i]);
    if (total < 0 && as_output_padding) c.output_padding[i] -= total;
    if (total < 0 && !as_output_padding) c.pad_end[i] = total;
  }
}

}  // namespace

Case case_of_onnx(const OnnxNode& node, const std::vector<int64_t>& x, const std::vector<int64_t>& w, bool bias) {
  for (const auto& attribute : node.numbers)
    if (std::ranges::find(kAttributes, attribute.first) == std::end(kAttributes))
      throw NotExpressible(fmt::format("attribute: '{}'", printable(attribute.first)));
  if (x.size() < 3 || x.size() > 2 + kAxes) throw NotExpressible(fmt::format("rank: {} dimensions", x.size()));
  if (w.size() != x.size()) malformed(fmt::format("X has {} dimensions, W {}", x.size(), w.size()));
  for (const auto* dims : {&x, &w})
    for (const int64_t dim : *dims)
      if (dim < 0 || dim > kLargestNumber) malformed(fmt::format("a dimension of {}", dim));
  Case c;
  c.op = node.op == "Conv" ? CONVICT_CONV : CONVICT_CONV_TRANSPOSE;
  c.wei_layout = default_weight_layout(c.op);
  c.rank = static_cast<int>(x.size()) - 2;
  const std::vector<int64_t> group = numbers(node, "group", 1);
  c.groups = group.empty() ? 1 : group[0];
  c.batch = x[0];
  c.ic = x[1];
  c.oc = c.op == CONVICT_CONV ? w[0] : w[1] * c.groups;
  if (c.op == CONVICT_CONV ? w[1] * c.groups != c.ic : w[0] != c.ic)
    malformed(fmt::format("X has {} channels, W {}", c.ic, c.op == CONVICT_CONV ? w[1] * c.groups : w[0]));
  for (int i = 0; i < c.rank; ++i) {
    c.in[i] = x[static_cast<size_t>(2 + i)];
    c.kernel[i] = w[static_cast<size_t>(2 + i)];
  }
  Axes stated = c.kernel;
  set_axes(node, "kernel_shape", c, stated);
  if (stated != c.kernel) malformed("kernel_shape is not that of W");
  set_axes(node, "strides", c, c.stride);
  set_axes(node, "dilations", c, c.dilation);
  set_axes(node, "output_padding", c, c.output_padding);
  set_padding(node, c);
  if (c.op == CONVICT_CONV_TRANSPOSE) set_output_shape(node, c);
  c.bias = bias;
  return c;
}

}  // namespace convict::imports

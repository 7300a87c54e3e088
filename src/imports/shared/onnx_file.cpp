// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/onnx_file.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "abi/element.h"
#include "abi/validity.h"
#include "core/names.h"
#include "core/text.h"
#include "imports/importer.h"

namespace convict::imports {
namespace {

convict_dtype type_of(int number) {
  switch (number) {
    case onnx::TensorProto::FLOAT: return CONVICT_F32;
    case onnx::TensorProto::DOUBLE: return CONVICT_F64;
    case onnx::TensorProto::FLOAT16: return CONVICT_F16;
    case onnx::TensorProto::BFLOAT16: return CONVICT_BF16;
    default: break;
  }
  if (!onnx::TensorProto::DataType_IsValid(number)) throw NotExpressible(fmt::format("data type: number {}", number));
  const auto type = static_cast<onnx::TensorProto::DataType>(number);
  throw NotExpressible("data type: " + onnx::TensorProto::DataType_Name(type));
}

/// The number of elements, from the dimensions.
uint64_t count_of(const onnx::TensorProto& tensor) {
  if (tensor.dims_size() > CONVICT_MAX_DIMS)
    throw NotExpressible(fmt::format("rank: {} dimensions", tensor.dims_size()));
  double count = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0) throw NotExpressible(fmt::format("malformed tensor: a dimension of {}", dim));
    count *= static_cast<double>(dim);
  }
  if (count > static_cast<double>(kLargestCount)) throw NotExpressible("malformed tensor: more than 2^48 elements");
  return static_cast<uint64_t>(count);
}

void expect_elements(uint64_t expected, uint64_t found) {
  if (expected != found)
    throw NotExpressible(fmt::format("malformed tensor: {} elements by its dimensions, {} in it", expected, found));
}

/// Reads little-endian values, the byte order of ONNX and of this machine.
void read_raw(const std::string& bytes, relations::Array& to, uint64_t count) {
  if (bytes.size() % type_size(to.type) != 0) throw NotExpressible("malformed tensor: its last element is cut off");
  expect_elements(count, bytes.size() / type_size(to.type));
  with_type(to.type, [&](auto element) {
    for (uint64_t i = 0; i < count; ++i) {
      std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
      to.data.push_back(static_cast<double>(number(element)));
    }
  });
}

/// Reads the field of the message for this type; 16-bit numbers are the low halves of int32_data.
void read_typed(const onnx::TensorProto& tensor, relations::Array& to, uint64_t count) {
  if (to.type == CONVICT_F32) to.data.assign(tensor.float_data().begin(), tensor.float_data().end());
  if (to.type == CONVICT_F64) to.data.assign(tensor.double_data().begin(), tensor.double_data().end());
  if (to.type == CONVICT_F16 || to.type == CONVICT_BF16) {
    for (const int32_t bits : tensor.int32_data()) {
      const auto low = static_cast<uint16_t>(bits);
      with_type(to.type, [&](auto element) {
        if constexpr (sizeof element == sizeof low) {
          std::memcpy(&element, &low, sizeof low);
          to.data.push_back(static_cast<double>(number(element)));
        }
      });
    }
  }
  expect_elements(count, to.data.size());
}

relations::Array array_of(const onnx::TensorProto& tensor) {
  relations::Array result;
  result.type = type_of(tensor.data_type());
  result.dims.assign(tensor.dims().begin(), tensor.dims().end());
  const uint64_t count = count_of(tensor);
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) throw NotExpressible("external data");
  if (tensor.has_raw_data())
    read_raw(tensor.raw_data(), result, count);
  else
    read_typed(tensor, result, count);
  return result;
}

std::optional<relations::Array> declared(const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return std::nullopt;
  relations::Array result;
  result.type = type_of(value.type().tensor_type().elem_type());
  for (const auto& dim : value.type().tensor_type().shape().dim()) {
    if (!dim.has_dim_value()) return std::nullopt;
    result.dims.push_back(dim.dim_value());
  }
  return result;
}

OnnxOperand operand_of(const onnx::GraphProto& graph, const std::string& name) {
  OnnxOperand result;
  for (const auto& initializer : graph.initializer())
    if (initializer.name() == name) result.initializer = array_of(initializer);
  for (int i = 0; i < graph.input_size(); ++i) {
    if (graph.input(i).name() != name) continue;
    result.file = static_cast<size_t>(i);
    result.declared = declared(graph.input(i));
  }
  return result;
}

void read_attributes(const onnx::NodeProto& node, OnnxNode& to) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.type() == onnx::AttributeProto::STRING)
      to.words[attribute.name()] = attribute.s();
    else if (attribute.type() == onnx::AttributeProto::INT)
      to.numbers[attribute.name()] = {attribute.i()};
    else if (attribute.type() == onnx::AttributeProto::INTS)
      to.numbers[attribute.name()].assign(attribute.ints().begin(), attribute.ints().end());
    else
      throw NotExpressible(fmt::format("attribute: '{}' is no number and no word", printable(attribute.name())));
  }
}

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

OnnxNode parse_onnx_model(const std::string& bytes) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) throw NotExpressible("malformed model: not a ModelProto");
  const onnx::GraphProto& graph = model.graph();
  if (graph.node_size() == 0) throw NotExpressible("malformed model: no node in it");
  if (graph.node_size() > 1) throw NotExpressible(fmt::format("several nodes: {}", graph.node_size()));
  const onnx::NodeProto& node = graph.node(0);
  OnnxNode result;
  result.op = printable(node.op_type());
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    throw NotExpressible(fmt::format("operator {}: of the domain {}", result.op, printable(node.domain())));
  if (result.op != "Conv" && result.op != "ConvTranspose") throw NotExpressible(fmt::format("operator {}", result.op));
  if (node.input_size() < 2 || node.input_size() > 3)
    throw NotExpressible(fmt::format("malformed model: {} inputs", node.input_size()));
  read_attributes(node, result);
  for (const std::string& name : node.input())
    if (!name.empty()) result.inputs.push_back(operand_of(graph, name));
  return result;
}

relations::Array parse_onnx_tensor(const std::string& bytes) {
  onnx::TensorProto tensor;
  if (!tensor.ParseFromString(bytes)) throw NotExpressible("malformed tensor: not a TensorProto");
  return array_of(tensor);
}

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

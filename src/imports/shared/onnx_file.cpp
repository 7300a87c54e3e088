// SPDX-License-Identifier: Apache-2.0
#include "imports/shared/onnx_file.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstring>

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

}  // namespace convict::imports

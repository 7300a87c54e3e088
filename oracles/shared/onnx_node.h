// SPDX-License-Identifier: Apache-2.0
//
// A convolution as the bytes of an ONNX model of one node, opset 13, and what such models are made of. The format is
// that of Protocol Buffers; the numbers are those of onnx.proto, the specification of the format.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "abi/convict.h"
#include "oracles/shared/dense.h"

namespace convict::shared {

/// A message of Protocol Buffers, field by field.
class Message {
 public:
  Message& number(int field, int64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& text(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

namespace onnx {

constexpr int64_t kInt = 2, kString = 3, kInts = 7;  // AttributeProto.AttributeType
constexpr int64_t kIrVersion = 7, kOpset = 13;

/// TensorProto.DataType.
inline int64_t element_type(convict_dtype type) {
  switch (type) {
    case CONVICT_F32: return 1;
    case CONVICT_U8: return 2;
    case CONVICT_S8: return 3;
    case CONVICT_S16: return 5;
    case CONVICT_S32: return 6;
    case CONVICT_S64: return 7;
    case CONVICT_F16: return 10;
    case CONVICT_F64: return 11;
    case CONVICT_BF16: return 16;
  }
  return 0;
}

inline Message integer(const char* name, int64_t value) {
  return Message().text(1, name).number(3, value).number(20, kInt);
}

inline Message word(const char* name, std::string_view value) {
  return Message().text(1, name).text(4, value).number(20, kString);
}

inline Message integers(const char* name, const std::vector<int64_t>& values) {
  Message attribute = Message().text(1, name);
  for (const int64_t value : values) attribute.number(8, value);
  return attribute.number(20, kInts);
}

/// A constant of the model; `raw` are its elements.
inline Message initializer(const char* name, convict_dtype type, const std::vector<int64_t>& dims,
                           std::string_view raw) {
  Message result;
  for (const int64_t extent : dims) result.number(1, extent);
  return result.number(2, element_type(type)).text(8, name).text(9, raw);
}

/// A tensor as one.
inline Message initializer(const char* name, const convict_tensor& tensor) {
  return initializer(name, tensor.dtype, {tensor.dims, tensor.dims + tensor.ndim}, dense_bytes(tensor));
}

/// An input or output of the model.
inline Message value_info(const char* name, const convict_tensor& tensor) {
  Message shape;
  for (int dim = 0; dim < tensor.ndim; ++dim) shape.message(1, Message().number(1, tensor.dims[dim]));
  const Message type = Message().number(1, element_type(tensor.dtype)).message(2, shape);
  return Message().text(1, name).message(2, Message().message(1, type));
}

inline std::vector<int64_t> axes(const convict_problem& p, const int64_t* values) { return {values, values + p.rank}; }

/// A node without its padding. `inputs` are names of what it reads; its output is "y".
inline Message node(const convict_problem& p, std::string_view type, std::initializer_list<std::string_view> inputs) {
  Message result;
  for (const std::string_view input : inputs) result.text(1, input);
  result.text(2, "y").text(4, type);
  result.message(5, integers("kernel_shape", axes(p, p.kernel)))
      .message(5, integers("strides", axes(p, p.stride)))
      .message(5, integers("dilations", axes(p, p.dilation)))
      .message(5, integer("group", p.groups));
  if (p.op == CONVICT_CONV_TRANSPOSE) result.message(5, integers("output_padding", axes(p, p.output_padding)));
  return result;
}

/// The node of a problem of floating-point numbers, without its padding.
inline Message float_node(const convict_problem& p) {
  const std::string_view type = p.op == CONVICT_CONV ? "Conv" : "ConvTranspose";
  return p.has_bias ? node(p, type, {"x", "w", "b"}) : node(p, type, {"x", "w"});
}

/// The attribute that names the padding of both ends of every axis.
inline Message pads(const convict_problem& p) {
  std::vector<int64_t> list = axes(p, p.pad_begin);
  list.insert(list.end(), p.pad_end, p.pad_end + p.rank);
  return integers("pads", list);
}

/// The bytes of a model of one graph.
inline std::string model(const Message& graph) {
  return Message().number(1, kIrVersion).message(7, graph).message(8, Message().number(2, kOpset)).bytes();
}

}  // namespace onnx

/// The model of a forward problem of floating-point numbers, without beta and ReLU. Input "x", output "y".
inline std::string onnx_model(const convict_problem& p, const convict_tensors& t) {
  Message graph;
  graph.message(1, onnx::float_node(p).message(5, onnx::pads(p))).text(2, "one");
  graph.message(5, onnx::initializer("w", t.wei));
  if (p.has_bias) graph.message(5, onnx::initializer("b", t.bias));
  graph.message(11, onnx::value_info("x", t.src)).message(12, onnx::value_info("y", t.dst));
  return onnx::model(graph);
}

}  // namespace convict::shared

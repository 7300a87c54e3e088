// SPDX-License-Identifier: Apache-2.0
//
// A convolution of f32 as the bytes of an ONNX model of one node, opset 13, with weights and bias as initializers. The
// format is that of Protocol Buffers; the numbers are those of onnx.proto, the specification of the format.
#pragma once

#include <cstdint>
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

constexpr int64_t kFloat = 1;           // TensorProto.DataType
constexpr int64_t kInt = 2, kInts = 7;  // AttributeProto.AttributeType
constexpr int64_t kIrVersion = 7, kOpset = 13;

inline Message integer(const char* name, int64_t value) {
  return Message().text(1, name).number(3, value).number(20, kInt);
}

inline Message integers(const char* name, const std::vector<int64_t>& values) {
  Message attribute = Message().text(1, name);
  for (const int64_t value : values) attribute.number(8, value);
  return attribute.number(20, kInts);
}

/// A tensor of the model; bias, which has one dimension, included.
inline Message initializer(const char* name, const convict_tensor& tensor) {
  static constexpr Order kOrders[] = {{}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}};
  Message result;
  for (int dim = 0; dim < tensor.ndim; ++dim) result.number(1, tensor.dims[dim]);
  const std::vector<float> values = dense<float>(tensor, kOrders[tensor.ndim]);
  const std::string_view raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return result.number(2, kFloat).text(8, name).text(9, raw);
}

inline Message value_info(const char* name, const convict_tensor& tensor) {
  Message shape;
  for (int dim = 0; dim < tensor.ndim; ++dim) shape.message(1, Message().number(1, tensor.dims[dim]));
  return Message().text(1, name).message(2, Message().message(1, Message().number(1, kFloat).message(2, shape)));
}

inline Message node(const convict_problem& p) {
  const auto list = [&](const int64_t* values) { return std::vector<int64_t>(values, values + p.rank); };
  std::vector<int64_t> pads = list(p.pad_begin);
  pads.insert(pads.end(), p.pad_end, p.pad_end + p.rank);
  Message result;
  result.text(1, "x").text(1, "w");
  if (p.has_bias) result.text(1, "b");
  result.text(2, "y").text(4, p.op == CONVICT_CONV ? "Conv" : "ConvTranspose");
  result.message(5, integers("kernel_shape", list(p.kernel)))
      .message(5, integers("strides", list(p.stride)))
      .message(5, integers("dilations", list(p.dilation)))
      .message(5, integers("pads", pads))
      .message(5, integer("group", p.groups));
  if (p.op == CONVICT_CONV_TRANSPOSE) result.message(5, integers("output_padding", list(p.output_padding)));
  return result;
}

}  // namespace onnx

/// The model of a forward problem without beta and ReLU. Input "x", output "y".
inline std::string onnx_model(const convict_problem& p, const convict_tensors& t) {
  Message graph;
  graph.message(1, onnx::node(p)).text(2, "one").message(5, onnx::initializer("w", t.wei));
  if (p.has_bias) graph.message(5, onnx::initializer("b", t.bias));
  graph.message(11, onnx::value_info("x", t.src)).message(12, onnx::value_info("y", t.dst));
  return Message().number(1, onnx::kIrVersion).message(7, graph).message(8, Message().number(2, onnx::kOpset)).bytes();
}

}  // namespace convict::shared

// SPDX-License-Identifier: Apache-2.0
//
// ONNX backend tests made by hand.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/imports/imported.h"

namespace convict::test {

inline onnx::TensorProto tensor(const std::vector<int64_t>& dims, const std::vector<float>& data) {
  onnx::TensorProto result;
  result.set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) result.add_dims(dim);
  for (const float value : data) result.add_float_data(value);
  return result;
}

/// A model of one node with the inputs X, W and so on, whose dimensions it does not declare.
inline onnx::ModelProto model_of(const std::string& op, size_t inputs = 2) {
  onnx::ModelProto model;
  onnx::NodeProto* node = model.mutable_graph()->add_node();
  node->set_op_type(op);
  node->add_output("Y");
  const char* names[] = {"X", "W", "B"};
  for (size_t i = 0; i < inputs; ++i) {
    node->add_input(names[i]);
    model.mutable_graph()->add_input()->set_name(names[i]);
  }
  return model;
}

inline void set_numbers(onnx::ModelProto& model, const std::string& name, const std::vector<int64_t>& values) {
  onnx::AttributeProto* attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute->add_ints(value);
}

inline void set_number(onnx::ModelProto& model, const std::string& name, int64_t value) {
  onnx::AttributeProto* attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

inline void set_word(onnx::ModelProto& model, const std::string& name, const std::string& value) {
  onnx::AttributeProto* attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::STRING);
  attribute->set_s(value);
}

inline onnx::TypeProto_Tensor* declare(onnx::ModelProto& model, int input, const std::vector<int64_t>& dims) {
  auto* type = model.mutable_graph()->mutable_input(input)->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) type->mutable_shape()->add_dim()->set_dim_value(dim);
  return type;
}

}  // namespace convict::test

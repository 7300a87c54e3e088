// SPDX-License-Identifier: Apache-2.0
//
// Reads ONNX files into plain data. onnx_file.cpp is the only importer source that uses protobuf.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relations/relation.h"

namespace convict::imports {

/// One input of the node of a model.
struct OnnxOperand {
  std::optional<size_t> file;                   // i of input_<i>.pb
  std::optional<relations::Array> initializer;  // a constant of the model
  std::optional<relations::Array> declared;     // type and dimensions in the model, if all are numbers; without data
};

/// A model of a single node.
struct OnnxNode {
  std::string op;                                       // "Conv"
  std::map<std::string, std::vector<int64_t>> numbers;  // attributes
  std::map<std::string, std::string> words;
  std::vector<OnnxOperand> inputs;
};

/// Throws NotExpressible if the bytes are no model, or the model has several nodes or a foreign domain. Fills in
/// operands for Conv and ConvTranspose only.
OnnxNode parse_onnx_model(const std::string& bytes);

/// Reads a TensorProto. Throws NotExpressible if the bytes are none, the type is unsupported, or the number of elements
/// contradicts the dimensions.
relations::Array parse_onnx_tensor(const std::string& bytes);

}  // namespace convict::imports

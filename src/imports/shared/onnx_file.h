// SPDX-License-Identifier: Apache-2.0
//
// ONNX files as plain data. onnx_file.cpp is the only importing code that knows protobuf.
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
  std::optional<relations::Array> declared;     // type and dimensions in the model, if these are all numbers; no data
};

/// A model of a single node.
struct OnnxNode {
  std::string op;                                       // "Conv"
  std::map<std::string, std::vector<int64_t>> numbers;  // attributes
  std::map<std::string, std::string> words;
  std::vector<OnnxOperand> inputs;
};

/// Throws NotExpressible if the bytes are no model, or one of several nodes or of a foreign domain. Operands are filled
/// in for Conv and ConvTranspose only.
OnnxNode parse_onnx_model(const std::string& bytes);

/// A TensorProto. Throws NotExpressible if it is none, has a type that is none of ours, or not as many elements as its
/// dimensions say.
relations::Array parse_onnx_tensor(const std::string& bytes);

}  // namespace convict::imports

// SPDX-License-Identifier: Apache-2.0
//
// Reads ONNX files into plain data (onnx_file.cpp, the only importer source that uses protobuf), and plain data into
// cases.
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

/// The case of a node, Conv or ConvTranspose of opset 11, which later ones leave unchanged, with operands of these
/// dimensions: X [n][ic][in], W [oc][ic/g][k] (ConvTranspose: [ic][oc/g][k]). Throws NotExpressible if attributes and
/// dimensions contradict each other.
Case case_of_onnx(const OnnxNode& node, const std::vector<int64_t>& x, const std::vector<int64_t>& w, bool bias);

}  // namespace convict::imports

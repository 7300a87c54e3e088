// SPDX-License-Identifier: Apache-2.0
//
// Conv and ConvTranspose of ONNX as cases (operators of opset 11, which later ones leave unchanged).
#pragma once

#include <cstdint>
#include <vector>

#include "core/case.h"
#include "imports/shared/onnx_file.h"

namespace convict::imports {

/// The case of a node with operands of these dimensions: X [n][ic][in], W [oc][ic/g][k] (ConvTranspose: [ic][oc/g][k]).
/// Throws NotExpressible if attributes and dimensions contradict each other.
Case case_of_onnx(const OnnxNode& node, const std::vector<int64_t>& x, const std::vector<int64_t>& w, bool bias);

}  // namespace convict::imports

// SPDX-License-Identifier: Apache-2.0
//
// One convolution as an ONNX model of one node: Conv, ConvTranspose, ConvInteger or QLinearConv.
#pragma once

#include <string>

#include "abi/convict.h"

namespace convict::onnxruntime {

/// How a model says what it says.
struct Form {
  bool weights_are_inputs;  // "w" and "b" are given with every call, as "x" is; else they are constants of the model
  bool padding_by_name;     // attribute auto_pad: SAME_UPPER or SAME_LOWER
};

/// The value of auto_pad that stands for the padding of this problem; nullptr if none does.
const char* auto_pad(const convict_problem& p);

/// The type of the node: "QLinearConv".
const char* node_type(const convict_problem& p, const convict_tensors& t);

/// The bytes of the model, with one output "y", whose extents it does not say.
std::string model_of(const convict_problem& p, const convict_tensors& t, const Form& form);

}  // namespace convict::onnxruntime

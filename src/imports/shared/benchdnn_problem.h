// SPDX-License-Identifier: Apache-2.0
//
// Reads benchdnn's problem descriptors, e.g. "g2mb1ic16ih7oc16oh7kh3ph1n\"name\"". The rules are those of oneDNN
// v2.6.3, tests/benchdnn/conv; docs/imports.md states them.
#pragma once

#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::imports {

/// A descriptor with all omitted values inferred. Axes of absent dimensions keep the values of Case.
struct BenchdnnProblem {
  bool weights_have_groups = false;  // `g` was written: weight layouts count it as a dimension
  int64_t mb = 2;
  Case c;            // operation, sizes, padding; forward, f32
  std::string name;  // the text after `n`, without quotes
};

/// Throws NotExpressible ("not a descriptor: ...").
BenchdnnProblem parse_benchdnn_problem(std::string_view text, convict_op op);

/// Sets the types from "f32", "bf16bf16f32" or "f16:f16:f16". Throws NotExpressible ("int8: ...", "data type: ...").
void set_benchdnn_types(std::string_view text, Case& to);

/// The layout that an activation tag such as "any", "abx", "acdb", "nhwc" names. Throws NotExpressible ("layout: ...").
ActivationLayout benchdnn_activation_layout(std::string_view tag, int rank);

/// The layout that a weights tag names: logical dimensions [g][o][i][taps] for conv and deconv. Throws NotExpressible.
WeightLayout benchdnn_weight_layout(std::string_view tag, const BenchdnnProblem& problem);

}  // namespace convict::imports

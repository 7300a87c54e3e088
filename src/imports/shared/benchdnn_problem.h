// SPDX-License-Identifier: Apache-2.0
//
// benchdnn's problem descriptors, e.g. "g2mb1ic16ih7oc16oh7kh3ph1n\"name\"": reading one, and the problem it stands
// for. The rules are those of oneDNN v2.6.3, tests/benchdnn/conv; docs/imports.md states them.
#pragma once

#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::imports {

/// A descriptor with everything inferred that it leaves out. Axes of absent dimensions keep the values of Case.
struct BenchdnnProblem {
  bool weights_have_groups = false;  // `g` was written: weight layouts count it as a dimension
  int64_t mb = 2;
  Case c;            // operation, sizes, padding; forward, f32
  std::string name;  // what follows `n`, without quotes
};

/// Throws NotExpressible ("not a descriptor: ...").
BenchdnnProblem parse_benchdnn_problem(std::string_view text, convict_op op);

/// "f32", "bf16bf16f32" or "f16:f16:f16" as the types of a case. Throws NotExpressible ("int8: ...", "data type: ...").
void set_benchdnn_types(std::string_view text, Case& to);

/// The layout that an activation tag such as "any", "abx", "acdb", "nhwc" names. Throws NotExpressible ("layout: ...").
ActivationLayout benchdnn_activation_layout(std::string_view tag, int rank);

/// The same for weights, whose logical dimensions are [g][o][i][taps] for conv and deconv alike.
WeightLayout benchdnn_weight_layout(std::string_view tag, const BenchdnnProblem& problem);

}  // namespace convict::imports

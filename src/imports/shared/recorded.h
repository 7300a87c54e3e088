// SPDX-License-Identifier: Apache-2.0
//
// Compares recorded outputs with the exact reference.
#pragma once

#include <string>

#include "imports/importer.h"
#include "relations/relation.h"

namespace convict::imports {

/// Evaluates the exact reference on these inputs and compares `output` with it. The bound of each element is that of a
/// sum in any order with an accumulator of the output's type. `bias` is empty if the case has none; other operands have
/// the dimensions and types of the case. Throws NotExpressible if that would take too long or types do not fit.
RecordedOutput compare_recorded(const Case& c, const std::string& origin, const relations::Array& x,
                                const relations::Array& w, const relations::Array& bias,
                                const relations::Array& output);

}  // namespace convict::imports

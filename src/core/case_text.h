// SPDX-License-Identifier: Apache-2.0
//
// The text form of a case: `<op><rank>d[.<pass>] key=value...`, e.g.
//     conv_transpose2d ic=1 oc=1 in=2x3 k=2x2 s=2x1 p=1x1 op=1x0 seed=7
// Grammar and examples: docs/case-format.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/case.h"

namespace convict::inline core {

/// The canonical line: fields in table order, defaults left out. parse_case(to_text(c)) == c.
std::string to_text(const Case& c);

/// Throws UsageError naming the field, the value, its column and what would be valid. Checks each field by itself;
/// resolve() in core/geometry.h checks that they fit together.
Case parse_case(std::string_view line);

/// 64-bit FNV-1a hash of the canonical line: the identity of a case across campaigns and databases.
uint64_t case_id(const Case& c);

/// "conv3d.backward_weights": the first word of the line.
std::string operation_text(const Case& c);

}  // namespace convict::inline core

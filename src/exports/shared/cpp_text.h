// SPDX-License-Identifier: Apache-2.0
//
// The parts of exported C++ programs that depend on the case: its texts and its numbers.
#pragma once

#include <string>

#include "exports/exporter.h"
#include "exports/shared/operands.h"

namespace convict::exports {

/// kCase, a constant of `const char[]`.
std::string cpp_texts(const ExportRequest& request);

/// Arrays, in logical row-major order. For each input NAME_bits; for each output NAME_value, with bounds NAME_exact and
/// NAME_bound, and with beta NAME_old.
std::string cpp_data(const Operands& operands);

/// `check("dst", extents, got, dst_value, ...)`, which is false if the result is wrong. Both arguments are expressions:
/// of the extents, and of the numbers of the output.
std::string cpp_check(const RequiredTensor& output, std::string_view extents, std::string_view got);

}  // namespace convict::exports

// SPDX-License-Identifier: Apache-2.0
//
// The faults of one module. The build makes one module of each table, and compiles the kernel that has them all once.
#include <span>

#include "tests/mutants/benchdnn_faults.h"
#include "tests/mutants/public_faults.h"
#include "tests/mutants/quantized_faults.h"
#include "tests/mutants/rare_faults.h"

#ifndef CONVICT_MUTANTS
#define CONVICT_MUTANTS kPublicFaults
#endif

namespace convict::mutants {

std::span<const Mutant> table_of_module() { return CONVICT_MUTANTS; }

}  // namespace convict::mutants

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "lab/faults/fault.h"

namespace convict::faults {

/// Computes the problem with the sound kernel, but for the effect. `stale` is what the call before left.
convict_status run_with_effect(Effect effect, double stale, const convict_problem& p, const convict_tensors& t,
                               char* error, size_t error_size);

/// The first element of the last channel of the output, which is what a stale buffer holds; 0 if there is none.
double first_of_last_channel(const convict_problem& p, const convict_tensors& t);

/// The main output of the pass.
const convict_tensor& output_of(const convict_problem& p, const convict_tensors& t);

}  // namespace convict::faults

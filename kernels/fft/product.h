// SPDX-License-Identifier: Apache-2.0
//
// Runs what fft_plan.h decided.
#pragma once

#include "kernels/fft/plan.h"

namespace convict::kernels::fft {

/// Computes the face of plan.form completely, but for diff_bias. Throws std::bad_alloc.
void compute(Plan& plan);

}  // namespace convict::kernels::fft

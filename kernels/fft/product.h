// SPDX-License-Identifier: Apache-2.0
//
// Runs what fft_plan.h decided.
#pragma once

#include "kernels/fft/plan.h"

namespace convict {

/// Computes the face of plan.form completely, but for diff_bias. Throws std::bad_alloc.
void fft_product(FftPlan& plan);

}  // namespace convict

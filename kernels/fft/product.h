// SPDX-License-Identifier: Apache-2.0
//
// Computes a face by Fourier transforms as plan.h decided.
#pragma once

#include "kernels/fft/plan.h"

namespace convict::kernels::fft {

/// Computes the face of plan.form completely, bias and beta included, but not diff_bias. Throws std::bad_alloc.
void compute(Plan& plan);

}  // namespace convict::kernels::fft

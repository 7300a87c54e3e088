// SPDX-License-Identifier: Apache-2.0
//
// The transformed weights U = G w, of some channels of the image and a panel of rows.
#pragma once

#include "kernels/winograd/plan.h"

namespace convict::kernels::winograd {

/// Fills to[product][channel][row], products plan.weights_product apart. Rows beyond the last one are zero.
void transform_weights(const Plan& plan, int64_t group, work::Panel panel, work::Panel channels, const Scratch& scratch,
                       float* to);

}  // namespace convict::kernels::winograd

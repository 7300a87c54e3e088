// SPDX-License-Identifier: Apache-2.0
//
// U = G w, for the weights of some channels of the image and a panel of rows.
#pragma once

#include "kernels/winograd/plan.h"

namespace convict {

/// Fills to[product][channel][row], products plan.weights_product apart. Rows beyond the last one are zero.
void transform_weights(const WinogradPlan& plan, int64_t group, Panel panel, Panel channels,
                       const WinogradScratch& scratch, float* to);

}  // namespace convict

// SPDX-License-Identifier: Apache-2.0
//
// Computes face X as plan.h decided: packs, multiplies tile by tile, adds to the image.
#pragma once

#include "kernels/scatter/plan.h"

namespace convict::kernels::scatter {

/// Computes face X of plan.form completely, bias and beta included. Throws std::bad_alloc.
template <class T>
void compute(Plan<T>& plan);

}  // namespace convict::kernels::scatter

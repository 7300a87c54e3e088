// SPDX-License-Identifier: Apache-2.0
//
// Runs what winograd_plan.h decided.
#pragma once

#include "kernels/winograd/plan.h"

namespace convict {

/// Computes the face of plan.form completely, bias and beta included. Throws std::bad_alloc.
void winograd_product(WinogradPlan& plan);

}  // namespace convict

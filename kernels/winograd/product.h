// SPDX-License-Identifier: Apache-2.0
//
// Computes faces Y and X by minimal filtering as plan.h decided.
#pragma once

#include "kernels/winograd/plan.h"

namespace convict::kernels::winograd {

/// Computes the face of plan.form completely, bias and beta included. Throws std::bad_alloc.
void compute(Plan& plan);

}  // namespace convict::kernels::winograd

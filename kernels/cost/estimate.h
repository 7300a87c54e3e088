// SPDX-License-Identifier: Apache-2.0
//
// Estimates of what the kernels cost, in cycles of one core, fitted by hand to measured times. They are only good
// enough for `auto` to choose a kernel by.
#pragma once

#include "abi/convict.h"

namespace convict::kernels::cost {

/// Expected cycles. All are for one thread, but for scatter_cycles, which charges threads that have no work.
/// `lanes`: of a vector. Precondition: a legal problem.
double direct_cycles(const convict_problem& p);
double gemm_cycles(const convict_problem& p, int64_t lanes);
double window_cycles(const convict_problem& p, int64_t lanes);
/// By F(m, 3), where it applies.
double winograd_cycles(const convict_problem& p, int64_t lanes, int m);
/// Faces Y and X. `members`: of a cell.
double int8_cycles(const convict_problem& p, int64_t lanes, int members);
double scatter_cycles(const convict_problem& p, int64_t lanes);  // face X
/// Infinite for an empty problem. Precondition: not fft::too_large.
double fft_cycles(const convict_problem& p, int64_t lanes);

}  // namespace convict::kernels::cost

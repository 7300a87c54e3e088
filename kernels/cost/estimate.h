// SPDX-License-Identifier: Apache-2.0
//
// Estimates of what the kernels cost, in cycles of one core, fitted by hand to measured times. They are only good
// enough for `auto` to choose a kernel by.
#pragma once

#include "abi/convict.h"
#include "abi/trilinear.h"
#include "kernels/border/limits.h"

namespace convict::kernels::cost {

/// A problem, and what all estimates ask of it, found out once: `auto` chooses anew for each call.
struct Job {
  /// Precondition: a legal problem.
  explicit Job(const convict_problem& p) : rank(p.rank), form(trilinear<float>(p, {})), sizes(form) {}

  int rank;
  Trilinear<float> form;  // without data
  border::Sizes sizes;
};

/// Expected cycles. All are for one thread, but for scatter_cycles, which charges threads that have no work.
/// `lanes`: of a vector.
double direct_cycles(const Job& job);
double gemm_cycles(const Job& job, int64_t lanes);
double window_cycles(const Job& job, int64_t lanes);
/// By F(m, 3), where it applies.
double winograd_cycles(const Job& job, int64_t lanes, int m);
/// Faces Y and X. `members`: of a cell.
double int8_cycles(const Job& job, int64_t lanes, int members);
double scatter_cycles(const Job& job, int64_t lanes);  // face X
/// Infinite for an empty problem. Precondition: not fft::too_large.
double fft_cycles(const Job& job, int64_t lanes);

}  // namespace convict::kernels::cost

// SPDX-License-Identifier: Apache-2.0
//
// What the kernels would cost, roughly: in cycles of one core, fitted by hand to measured times. Only good enough to
// choose by. And whether their copies of the operands fit in memory.
#pragma once

#include "abi/convict.h"

namespace convict::kernels::cost {

/// Expected cycles, as if everybody had one thread. Precondition: a legal problem.
double direct_cycles(const convict_problem& p);
double gemm_cycles(const convict_problem& p, int64_t lanes);
double window_cycles(const convict_problem& p, int64_t lanes);
/// By F(m, 3), where it applies.
double winograd_cycles(const convict_problem& p, int64_t lanes, int m);
double int8_cycles(const convict_problem& p, int64_t lanes);     // faces Y and X
double scatter_cycles(const convict_problem& p, int64_t lanes);  // face X
/// Infinite for an empty problem. Precondition: not too_large (fft_sizes.h).
double fft_cycles(const convict_problem& p, int64_t lanes);

/// Whether a kernel that multiplies the zeros of the padding, too, would do next to nothing else, and for long: a large
/// window on a tiny image. Precondition: not too_large_to_stage.
bool mostly_padding(const convict_problem& p);

/// The same of a kernel that computes all that positions of Y add to X, and to its padding. Precondition: the face is
/// X, and not too_large_to_scatter.
bool mostly_cropped(const convict_problem& p);

/// Whether the operands of one image, padded and rearranged, would have more than 2^28 elements. Closed form: safe for
/// sizes that no memory holds.
bool too_large_to_stage(const convict_problem& p);

/// The same of the weights, or of one image of Y.
bool too_large_to_scatter(const convict_problem& p);

}  // namespace convict::kernels::cost

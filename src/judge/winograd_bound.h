// SPDX-License-Identifier: Apache-2.0
//
// Error bounds of convolutions by Winograd's (Toom and Cook's) minimal filtering F(m, r).
#pragma once

#include <span>
#include <vector>

#include "abi/trilinear.h"
#include "core/transforms.h"
#include "judge/bounds.h"
#include "judge/cook_toom.h"

namespace convict::judge {

/// Whether F(m, r) can compute this problem: every kernel extent is r, strides are 1, and the face is Y or X.
/// Leading axes with a kernel and extents of 1 do not count. If it cannot, an implementation falls back to direct
/// sums and their bound.
bool winograd_applies(const Trilinear<double>& form, int m, int r);

/// Error bounds of the sum of products, for all elements of the computed face in logical row-major order (batch,
/// channel of all groups, lifted position). They hold for nested transforms of all axes, with tiles of positions that
/// are equal modulo the dilation, from the first of them in steps of m, and sums over channels in any order between the
/// transforms. If `transforms` says so, they also hold where the last tile is moved back until it ends with these
/// positions; if it has m + r - 2 points, for those. They include two more additions, for bias and old contents. They
/// are infinite where intermediate results may overflow. x, w, y are dense operands in the order of the form:
/// X[n][channel][i], W[k][c][r], Y[n][channel][o]. The computed one is not read. Precondition: winograd_applies(form,
/// m, r).
std::vector<double> winograd_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                                    std::span<const double> y, int m, int r, const Arithmetic& arithmetic,
                                    const Transforms& transforms = {});

}  // namespace convict::judge

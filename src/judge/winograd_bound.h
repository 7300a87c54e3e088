// SPDX-License-Identifier: Apache-2.0
//
// How far a convolution by Winograd's (Toom and Cook's) minimal filtering F(m, r) may be from the exact one.
#pragma once

#include <span>
#include <vector>

#include "abi/trilinear.h"
#include "judge/bounds.h"

namespace convict::judge {

inline constexpr int kMostPoints = 8;  // m + r - 1; what implementations use, and what finite points are listed for

/// F(m, r) in one dimension: y = A^T ((G h) . (B^T x)) yields the `m` values y[i] = sum over j < r of h[j] * x[i + j]
/// from t = m + r - 1 values of x. Row-major. Rows of G and B^T may be scaled against each other and against columns
/// of A^T; the error bound does not depend on that.
struct CookToom {
  int m, r, t;
  std::vector<double> at;  // A^T, m x t
  std::vector<double> g;   // G, t x r
  std::vector<double> bt;  // B^T, t x t
};

/// Over the points 0, 1, -1, 2, -2, 1/2, -1/2 (the first t - 1 of them) and infinity.
/// Precondition: m, r >= 1 and m + r - 1 <= kMostPoints.
CookToom cook_toom(int m, int r);

/// Whether F(m, r) can compute this problem at all: every kernel extent is r, strides and dilations are 1, and the face
/// is Y or X. Leading axes of kernel and extents 1 count as axes that the problem does not have. Where it cannot, an
/// implementation falls back to direct sums and their bound.
bool winograd_applies(const Trilinear<double>& form, int m, int r);

/// Bounds on the error of the products' sum of all elements of the computed face, in logical row-major order (batch,
/// channel of all groups, lifted position), for an implementation that transforms all axes, nested, with tiles from
/// position 0 in steps of m, and sums channels in any order between the transforms. Two more additions are counted,
/// for bias and old contents. Infinite where intermediate results may overflow.
/// x, w, y are dense operands in the order of the form: X[n][channel][i], W[k][c][r], Y[n][channel][o]; the computed
/// one is not read. Precondition: winograd_applies(form, m, r).
std::vector<double> winograd_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                                    std::span<const double> y, int m, int r, const Arithmetic& arithmetic);

}  // namespace convict::judge

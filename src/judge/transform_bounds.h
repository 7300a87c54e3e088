// SPDX-License-Identifier: Apache-2.0
//
// Error bounds of convolutions by transforms: by Winograd's (Toom and Cook's) minimal filtering F(m, r), with its
// matrices, and by fast Fourier transforms.
#pragma once

#include <span>
#include <vector>

#include "abi/trilinear.h"
#include "core/declarations.h"
#include "judge/bounds.h"

namespace convict::judge {

/// F(m, r) in one dimension: y = A^T ((G h) . (B^T x)) yields the `m` values y[i] = sum over j < r of h[j] * x[i + j]
/// from t = m + r - 1 values of x. Row-major. Scaling rows of G and B^T against each other and against columns of A^T
/// does not change the error bound.
struct CookToom {
  int m, r, t;
  std::vector<double> at;  // A^T, m x t
  std::vector<double> g;   // G, t x r
  std::vector<double> bt;  // B^T, t x t
};

/// The transform over t - 1 points and infinity. The usual points are the first of 0, 1, -1, 2, -2, 1/2, -1/2; their
/// entries are exact but for the divisions of G. Precondition: m, r >= 1 and m + r - 1 <= kMostPoints.
CookToom cook_toom(int m, int r);
CookToom cook_toom(int m, int r, std::span<const double> points);

/// The magnitudes of the entries, each with a margin for the roundings of entries to double, and of points to double.
/// So an error bound relative to them holds for kernels that compute entries in double and round them to f32 or less.
CookToom sizes_of_entries(CookToom matrices, std::span<const double> points);

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

/// The assumed number of radix-2 butterfly levels of one transform, summed over the axes: each axis takes twice the
/// smallest power of two that holds the linear convolution. Axes with nothing to convolve have no levels.
int fft_levels(const Trilinear<double>& form);

/// Error bounds of the sum of products, for all elements of the computed face in logical row-major order. They are
/// norm-wise: the same for all positions of a plane, and far above those of a direct sum where few taps are inside.
/// The reduced channels (for face W: the batch) may be summed before or after the inverse transform, in any order, and
/// as complex or as real products. The bounds include two more additions, for bias and old contents. They are infinite
/// where intermediate results may overflow, or where nothing is proven for so many products. Operands are those of
/// winograd_bounds(). Every stride, dilation and face is covered, and so are transforms of tiles of Y or X, and of real
/// numbers by half the points; and, if `transforms` says so, of two real planes as one complex plane.
std::vector<double> fft_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                               std::span<const double> y, const Arithmetic& arithmetic,
                               const Transforms& transforms = {});

}  // namespace convict::judge

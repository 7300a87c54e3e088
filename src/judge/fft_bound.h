// SPDX-License-Identifier: Apache-2.0
//
// Error bounds of convolutions by fast Fourier transforms.
#pragma once

#include <span>
#include <vector>

#include "abi/trilinear.h"
#include "core/declarations.h"
#include "judge/bounds.h"

namespace convict::judge {

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

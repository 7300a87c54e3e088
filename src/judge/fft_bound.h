// SPDX-License-Identifier: Apache-2.0
//
// How far a convolution by fast Fourier transforms may be from the exact one.
#pragma once

#include <span>
#include <vector>

#include "abi/trilinear.h"
#include "judge/bounds.h"

namespace convict::judge {

/// Levels of radix-2 butterflies that one transform of this problem is taken to have, over all axes: per axis, of twice
/// the smallest power of two that holds the linear convolution. Axes with nothing to convolve have none.
int fft_levels(const Trilinear<double>& form);

/// Bounds on the error of the products' sum of all elements of the computed face, in logical row-major order. They are
/// norm-wise: the same for all positions of a plane, and far above those of a direct sum where few taps are inside.
/// The reduced channels (for face W: the batch) may be summed before or after the inverse transform, in any order, and
/// as complex or as real products. Two more additions are counted, for bias and old contents. Infinite where
/// intermediate results may overflow, or nothing is proven of so many products. Operands as in winograd_bounds; every
/// stride, dilation and face is covered, and so is whoever transforms tiles of Y or X, or real numbers by half the
/// points.
std::vector<double> fft_bounds(const Trilinear<double>& form, std::span<const double> x, std::span<const double> w,
                               std::span<const double> y, const Arithmetic& arithmetic);

}  // namespace convict::judge

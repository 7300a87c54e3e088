// SPDX-License-Identifier: Apache-2.0
//
// The geometry of convolution by Fourier transforms: signals on one axis, tiles, and the cheapest number of points.
//
// The form sums all products X[i] * W[r] * Y[o] with i + pad = o*stride + r*dilation. Let X be a signal x with element
// i at u = i + pad, Y a signal y with element o at u = o*stride, and W a signal w with element r at u = r*dilation, all
// with zeros between their elements. Then the form sums all products x(u) * y(v) * w(u - v), and each face is a
// convolution or a correlation of the other two,
//
//     X = Y * W,    Y = X * W mirrored,    W = X * Y mirrored,
//
// of which only the places of its own elements are kept.
//
// Long axes are cut into tiles of results (overlap-save; A. Oppenheim, R. Schafer, "Discrete-Time Signal Processing",
// section 8.7): a transform of n points gives n - window + 1 results without wrap-around. W is one tile, because its
// window is all of Y.
#pragma once

#include <array>
#include <cstdint>

#include "abi/trilinear.h"

namespace convict::kernels::fft {

/// Where the elements of an operand lie on one axis: element e at e*spacing + origin, for e < extent.
struct SignalAxis {
  int64_t extent, spacing, origin;
};

enum class Signal { kX, kW, kY };
SignalAxis signal_axis(const Trilinear<float>& form, Signal signal, int axis);

/// One axis of the transforms. Tile t reads and writes `size` points, from place begin + t*length - valid on. `length`
/// of its results are valid, from point `valid` on.
struct TransformAxis {
  int64_t size, begin, valid, length, tiles;
};

struct Sizes {
  std::array<TransformAxis, kAxes> axis;
  bool lanes_are_groups;  // else channels of a group
  double cycles;          // estimated, for one core

  /// Of a spectrum. The last axis is of real numbers, and has size/2 + 1 of them.
  int64_t points() const { return axis[0].size * axis[1].size * (axis[2].size / 2 + 1); }
  int64_t tiles() const { return axis[0].tiles * axis[1].tiles * axis[2].tiles; }
};

/// The cheapest sizes. Precondition: has_products(form), and not too_large(form).
Sizes cheapest_sizes(const Trilinear<float>& form, int64_t lanes);

/// Whether windows are too long, or spectra too many. Safe for any sizes.
bool too_large(const Trilinear<float>& form);

}  // namespace convict::kernels::fft

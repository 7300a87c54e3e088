// SPDX-License-Identifier: Apache-2.0
//
// Convolution by transforms, its geometry: signals on one axis, tiles, and how many points pay.
//
// With u = i + pad = o*stride + r*dilation, X at u = i + pad, Y at u = o*stride and W at u = r*dilation are signals of
// which a form sums all products x(u) * y(v) * w(u - v): each face is a convolution of two of them, or a correlation,
//
//     X = Y * W,    Y = X * W mirrored,    W = X * Y mirrored,
//
// of which only the places of its own elements are wanted. Between those of the given ones are zeros.
//
// Long axes are cut into tiles of results (overlap-save; A. Oppenheim, R. Schafer, "Discrete-Time Signal Processing",
// section 8.7): a transform of n points gives n - window + 1 results that no wrap-around has reached. W is one tile,
// for its window is Y.
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

/// One axis of the transforms. Tile t reads and gives what lies from place begin + t*length - valid on, `size` points;
/// `length` of its results are valid, from point `valid` on.
struct TransformAxis {
  int64_t size, begin, valid, length, tiles;
};

struct Sizes {
  std::array<TransformAxis, kAxes> axis;
  bool lanes_are_groups;  // and not channels of a group
  double cycles;          // estimated, for one core

  /// Of a spectrum; the last axis, which is real, has half of them and one more.
  int64_t points() const { return axis[0].size * axis[1].size * (axis[2].size / 2 + 1); }
  int64_t tiles() const { return axis[0].tiles * axis[1].tiles * axis[2].tiles; }
};

/// The cheapest sizes. Precondition: has_products(form), and not too_large.
Sizes cheapest_sizes(const Trilinear<float>& form, int64_t lanes);

/// Whether windows are too long or spectra too many. Safe for sizes that no memory holds.
bool too_large(const Trilinear<float>& form);

}  // namespace convict::kernels::fft

// SPDX-License-Identifier: Apache-2.0
//
// Loops over the planes of operands, and how planes lie in memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "abi/trilinear.h"

namespace convict::kernels::border {

/// Whether a problem has any products: no extent is 0.
template <class T>
bool has_products(const Trilinear<T>& f) {
  return std::min({f.batch, f.x_channels, f.y_channels, volume(f.x_extent), volume(f.y_extent)}) > 0;
}

/// How many elements X and Y have.
template <class T>
double elements(const Trilinear<T>& f) {
  return static_cast<double>(f.batch * f.groups) *
         static_cast<double>(f.x_channels * volume(f.x_extent) + f.y_channels * volume(f.y_extent));
}

/// Whether the elements of a plane lie side by side, in order. `spatial`: the strides of its axes.
inline bool is_dense(const Axes& spatial, const Axes& extent) {
  return (extent[2] == 1 || spatial[2] == 1) && (extent[1] == 1 || spatial[1] == extent[2]) &&
         (extent[0] == 1 || spatial[0] == extent[1] * extent[2]);
}

/// Whether the weights between two channels lie side by side.
template <class T>
bool taps_are_dense(const Trilinear<T>& f) {
  return is_dense(f.w.spatial, f.kernel);
}

/// Calls visit(index, offset) for all elements of a plane, in order. `spatial`: the strides of its axes.
template <class Visit>
void for_each_place(const Axes& spatial, const Axes& extent, const Visit& visit) {
  int64_t index = 0;
  for (int64_t i = 0; i < extent[0]; ++i)
    for (int64_t j = 0; j < extent[1]; ++j)
      for (int64_t k = 0; k < extent[2]; ++k) visit(index++, i * spatial[0] + j * spatial[1] + k * spatial[2]);
}

/// Calls `visit(element)` for the spatial elements of one (batch, channel) plane.
template <class T, class Visit>
void for_each_in_plane(const Operand<T>& operand, const Axes& extent, int64_t a, int64_t b, const Visit& visit) {
  for (int64_t i0 = 0; i0 < extent[0]; ++i0)
    for (int64_t i1 = 0; i1 < extent[1]; ++i1) {
      T* row = &operand.at(a, b, i0, i1, 0);
      for (int64_t i2 = 0; i2 < extent[2]; ++i2) visit(row[i2 * operand.spatial[2]]);
    }
}

/// Calls `visit(element)` for the output channels of image n and group g, in the order of Y[k][outputs].
template <class T, class Visit>
void for_each_y(const Trilinear<T>& f, int64_t n, int64_t g, const Visit& visit) {
  for (int64_t k = 0; k < f.y_channels; ++k) for_each_in_plane(f.y, f.y_extent, n, g * f.y_channels + k, visit);
}

}  // namespace convict::kernels::border

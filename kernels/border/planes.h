// SPDX-License-Identifier: Apache-2.0
//
// Loops over the planes of operands, and how planes lie in memory. What the output starts at, sums of bias gradients,
// and ReLU go plane by plane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>

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

/// A tensor of the same logical dimensions without gaps, and without data.
inline convict_tensor dense_like(convict_tensor tensor, convict_dtype type) {
  tensor.data = nullptr;
  tensor.dtype = type;
  tensor.offset = 0;
  int64_t stride = 1;
  for (int dim = tensor.ndim; dim-- > 0; stride *= tensor.dims[dim]) tensor.strides[dim] = stride;
  return tensor;
}

/// Of one without gaps.
inline int64_t elements_of(const convict_tensor& dense) {
  return dense.ndim == 0 ? 1 : dense.dims[0] * dense.strides[0];
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

/// Sets `count` elements side by side, a cache line at a time: compilers make vectors of counts that are constant.
template <class T>
void fill_row(T* to, int64_t count, T value) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (; count >= kLine; count -= kLine, to += kLine) std::fill_n(to, kLine, value);
  std::fill_n(to, count, value);
}

/// Sets one plane of the computed operand to beta times its old contents, plus the bias of its channel b if there is
/// one.
template <class T>
void start_plane(const Trilinear<T>& form, const Operand<T>& operand, const Axes& extent, int64_t a, int64_t b) {
  const T value = form.bias ? form.bias[b * form.bias_stride] : T(0);
  if (form.beta != 0)
    for_each_in_plane(operand, extent, a, b, [&](T& element) { element = element * T(form.beta) + value; });
  else if (operand.spatial[2] == 1)
    for_each_in_plane(operand, {extent[0], extent[1], 1}, a, b, [&](T& row) { fill_row(&row, extent[2], value); });
  else
    for_each_in_plane(operand, extent, a, b, [&](T& element) { element = value; });
}

/// Calls start_plane for all planes.
template <class T>
void start_output(const Trilinear<T>& form) {
  const int64_t x_total = form.x_channels * form.groups, y_total = form.y_channels * form.groups;
  const auto start = [&](const Operand<T>& operand, const Axes& extent, int64_t outer, int64_t inner) {
    for (int64_t a = 0; a < outer; ++a)
      for (int64_t b = 0; b < inner; ++b) start_plane(form, operand, extent, a, b);
  };
  switch (form.face) {
    case Face::kX: return start(form.x, form.x_extent, form.batch, x_total);
    case Face::kY: return start(form.y, form.y_extent, form.batch, y_total);
    case Face::kW: return start(form.w, form.kernel, y_total, form.x_channels);
  }
}

/// ReLU, in place; NaN stays NaN. Results that are rounded to 16 bits later stay in order, so it may come before.
/// Precondition: form.face is not W.
template <class T>
void clamp_output(const Trilinear<T>& form) {
  const bool is_x = form.face == Face::kX;
  const int64_t channels = form.groups * (is_x ? form.x_channels : form.y_channels);
  for (int64_t n = 0; n < form.batch; ++n)
    for (int64_t channel = 0; channel < channels; ++channel)
      for_each_in_plane(is_x ? form.x : form.y, is_x ? form.x_extent : form.y_extent, n, channel, [](T& element) {
        if (element < 0) element = 0;
      });
}

/// diff_bias[channel] = sum of the output gradient over batch and positions, whatever beta is. Does nothing if the pass
/// has no diff_bias.
template <class T>
void sum_diff_bias(const Trilinear<T>& form) {
  if (!form.diff_bias) return;
  const Operand<T>& gradient = form.bias_on_x ? form.x : form.y;
  const Axes& extent = form.bias_on_x ? form.x_extent : form.y_extent;
  const int64_t channels = (form.bias_on_x ? form.x_channels : form.y_channels) * form.groups;
  for (int64_t channel = 0; channel < channels; ++channel) {
    T sums[8] = {};  // several: an addition need not wait for the one before it
    size_t at = 0;
    for (int64_t n = 0; n < form.batch; ++n)
      for_each_in_plane(gradient, extent, n, channel,
                        [&](const T& element) { sums[at++ % std::size(sums)] += element; });
    form.diff_bias[channel * form.bias_stride] = std::accumulate(std::begin(sums), std::end(sums), T(0));
  }
}

}  // namespace convict::kernels::border

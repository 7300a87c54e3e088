// SPDX-License-Identifier: Apache-2.0
//
// What all kernels do before and after the products: they start the output at its bias or at zero, sum bias gradients,
// and clamp the output of a forward pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>

#include "abi/trilinear.h"
#include "kernels/border/planes.h"

namespace convict::kernels::border {

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

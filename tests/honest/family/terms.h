// SPDX-License-Identifier: Apache-2.0
//
// The terms of every output of a problem, in all passes: what the sums of this family add up.
#pragma once

#include <vector>

#include "abi/trilinear.h"

namespace convict::honest::family {

/// The factors of the terms of one output, in a fixed order: its products, those with padding as zeros; then its bias
/// times 1, and its old contents times beta.
struct Terms {
  std::vector<float> x, w;
  size_t addends = 0;  // how many of the last are no products

  size_t size() const { return x.size(); }
  void add(float one, float other) {
    x.push_back(one);
    w.push_back(other);
  }
};

/// Calls visit(axes) for every position of an extent, in row-major order.
template <class Visit>
void for_each_position(const Axes& extent, const Visit& visit) {
  for (int64_t i = 0; i < extent[0]; ++i)
    for (int64_t j = 0; j < extent[1]; ++j)
      for (int64_t k = 0; k < extent[2]; ++k) visit(Axes{i, j, k});
}

template <class T>
T& element(const Operand<T>& of, int64_t a, int64_t b, const Axes& at) {
  return of.at(a, b, at[0], at[1], at[2]);
}

using Form = Trilinear<float>;

/// The element of X that an output position meets through a tap; 0 in the padding.
inline float x_or_zero(const Form& f, int64_t image, int64_t channel, const Axes& o, const Axes& r) {
  Axes at;
  for (int axis = 0; axis < kAxes; ++axis) {
    at[axis] = f.x_position(axis, o[axis], r[axis]);
    if (at[axis] < 0 || at[axis] >= f.x_extent[axis]) return 0;
  }
  return element(f.x, image, channel, at);
}

/// The element of Y that meets a position of X through a tap; 0 if none does.
inline float y_or_zero(const Form& f, int64_t image, int64_t channel, const Axes& i, const Axes& r) {
  Axes at;
  for (int axis = 0; axis < kAxes; ++axis) {
    const int64_t scaled = i[axis] + f.pad_begin[axis] - r[axis] * f.dilation[axis];
    if (scaled < 0 || scaled % f.stride[axis] != 0 || scaled / f.stride[axis] >= f.y_extent[axis]) return 0;
    at[axis] = scaled / f.stride[axis];
  }
  return element(f.y, image, channel, at);
}

/// Calls visit(result, terms) for every element of the computed operand.
template <class Visit>
void for_each_output(const Form& f, const Visit& visit) {
  const int64_t all_y = f.groups * f.y_channels, all_x = f.groups * f.x_channels;
  Terms terms;
  const auto finish = [&](float& result, const float* bias) {
    if (bias) terms.add(*bias, 1);
    if (f.beta != 0) terms.add(result, static_cast<float>(f.beta));
    terms.addends = (bias ? 1u : 0u) + (f.beta != 0 ? 1u : 0u);
    visit(result, terms);
    terms.x.clear();
    terms.w.clear();
  };
  const auto bias_of = [&](int64_t channel) { return f.bias ? f.bias + channel * f.bias_stride : nullptr; };
  if (f.face == Face::kY)
    for (int64_t n = 0; n < f.batch; ++n)
      for (int64_t k = 0; k < all_y; ++k)
        for_each_position(f.y_extent, [&](const Axes& o) {
          for (int64_t c = 0; c < f.x_channels; ++c)
            for_each_position(f.kernel, [&](const Axes& r) {
              terms.add(x_or_zero(f, n, k / f.y_channels * f.x_channels + c, o, r), element(f.w, k, c, r));
            });
          finish(element(f.y, n, k, o), bias_of(k));
        });
  if (f.face == Face::kX)
    for (int64_t n = 0; n < f.batch; ++n)
      for (int64_t gc = 0; gc < all_x; ++gc)
        for_each_position(f.x_extent, [&](const Axes& i) {
          for (int64_t k = gc / f.x_channels * f.y_channels; k < (gc / f.x_channels + 1) * f.y_channels; ++k)
            for_each_position(f.kernel, [&](const Axes& r) {
              terms.add(y_or_zero(f, n, k, i, r), element(f.w, k, gc % f.x_channels, r));
            });
          finish(element(f.x, n, gc, i), bias_of(gc));
        });
  if (f.face == Face::kW)
    for (int64_t k = 0; k < all_y; ++k)
      for (int64_t c = 0; c < f.x_channels; ++c)
        for_each_position(f.kernel, [&](const Axes& r) {
          for (int64_t n = 0; n < f.batch; ++n)
            for_each_position(f.y_extent, [&](const Axes& o) {
              terms.add(x_or_zero(f, n, k / f.y_channels * f.x_channels + c, o, r), element(f.y, n, k, o));
            });
          finish(element(f.w, k, c, r), nullptr);
        });
}

/// Calls visit(result, terms) for every element of a gradient of the bias, which is a sum of elements times 1.
template <class Visit>
void for_each_diff_bias(const Form& f, const Visit& visit) {
  if (!f.diff_bias) return;
  const int64_t channels = f.groups * (f.bias_on_x ? f.x_channels : f.y_channels);
  for (int64_t channel = 0; channel < channels; ++channel) {
    Terms terms;
    for (int64_t n = 0; n < f.batch; ++n)
      for_each_position(f.bias_on_x ? f.x_extent : f.y_extent,
                        [&](const Axes& at) { terms.add(element(f.bias_on_x ? f.x : f.y, n, channel, at), 1); });
    terms.addends = terms.size();
    visit(f.diff_bias[channel * f.bias_stride], terms);
  }
}

}  // namespace convict::honest::family

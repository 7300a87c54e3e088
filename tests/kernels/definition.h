// SPDX-License-Identifier: Apache-2.0
//
// What a face of the trilinear form is by definition: one product after another. With small whole numbers
// (tests/kernels/targets.h) every order of summation gives the same.
#pragma once

#include <cstdint>

#include "abi/trilinear.h"

namespace convict::kernels {

/// Calls visit(index) for every index of three axes.
template <class Visit>
void for_each_index(const Axes& extent, const Visit& visit) {
  for (int64_t i0 = 0; i0 < extent[0]; ++i0)
    for (int64_t i1 = 0; i1 < extent[1]; ++i1)
      for (int64_t i2 = 0; i2 < extent[2]; ++i2) visit(Axes{i0, i1, i2});
}

/// The operand that a face computes.
template <class T>
struct Output {
  Operand<T> operand;
  int64_t outer, inner;
  Axes extent;
};

template <class T>
Output<T> output_of(const Trilinear<T>& f) {
  switch (f.face) {
    case Face::kX: return {f.x, f.batch, f.groups * f.x_channels, f.x_extent};
    case Face::kW: return {f.w, f.groups * f.y_channels, f.x_channels, f.kernel};
    case Face::kY: break;
  }
  return {f.y, f.batch, f.groups * f.y_channels, f.y_extent};
}

/// Sets each element of the computed operand to its bias, plus beta times what it is.
template <class T>
void start_by_definition(const Trilinear<T>& f) {
  const Output<T> output = output_of(f);
  for (int64_t a = 0; a < output.outer; ++a)
    for (int64_t b = 0; b < output.inner; ++b)
      for_each_index(output.extent, [&](const Axes& i) {
        T& element = output.operand.at(a, b, i[0], i[1], i[2]);
        element = (f.bias ? f.bias[b] : T(0)) + T(f.beta) * element;
      });
}

/// Adds one product: image n, position o and channel k of Y, channel c of X in the group of k, tap r.
template <class T>
void add_product(const Trilinear<T>& f, int64_t n, int64_t k, int64_t c, const Axes& o, const Axes& r) {
  Axes i;
  for (int a = 0; a < kAxes; ++a) {
    i[a] = f.x_position(a, o[a], r[a]);
    if (i[a] < 0 || i[a] >= f.x_extent[a]) return;
  }
  T& x = f.x.at(n, k / f.y_channels * f.x_channels + c, i[0], i[1], i[2]);
  T& y = f.y.at(n, k, o[0], o[1], o[2]);
  T& w = f.w.at(k, c, r[0], r[1], r[2]);
  switch (f.face) {
    case Face::kX: x += w * y; return;
    case Face::kW: w += x * y; return;
    case Face::kY: y += x * w; return;
  }
}

/// The face of `f` completely, but not diff_bias. Bias has a stride of 1.
template <class T>
void compute_by_definition(const Trilinear<T>& f) {
  start_by_definition(f);
  for (int64_t n = 0; n < f.batch; ++n)
    for (int64_t k = 0; k < f.groups * f.y_channels; ++k)
      for (int64_t c = 0; c < f.x_channels; ++c)
        for_each_index(f.y_extent, [&](const Axes& o) {
          for_each_index(f.kernel, [&](const Axes& r) { add_product(f, n, k, c, o, r); });
        });
}

}  // namespace convict::kernels

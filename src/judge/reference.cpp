// SPDX-License-Identifier: Apache-2.0
#include "judge/reference.h"

#include <cmath>

#include "abi/trilinear.h"
#include "core/role.h"
#include "judge/bounds.h"

namespace convict {
namespace {

/// The elements of one operand, densely in logical order: (first, second, 3 lifted axes).
template <class T>
std::vector<Wide<T>> gathered(const Operand<T>& from, int64_t first, int64_t second, const Axes& extent) {
  std::vector<Wide<T>> to;
  to.reserve(static_cast<size_t>(first * second * extent[0] * extent[1] * extent[2]));
  for (int64_t a = 0; a < first; ++a)
    for (int64_t b = 0; b < second; ++b)
      for (int64_t i0 = 0; i0 < extent[0]; ++i0)
        for (int64_t i1 = 0; i1 < extent[1]; ++i1)
          for (int64_t i2 = 0; i2 < extent[2]; ++i2) to.push_back(from.at(a, b, i0, i1, i2));
  return to;
}

int64_t row_major(const Axes& extent, int64_t i0, int64_t i1, int64_t i2) {
  return (i0 * extent[1] + i1) * extent[2] + i2;
}

int64_t volume(const Axes& extent) { return extent[0] * extent[1] * extent[2]; }

/// Calls visit(x, w, y) with the dense indices of every product x*w*y of the form that lies inside the image.
template <class T, class Visit>
void for_each_product(const Trilinear<T>& f, const Visit& visit) {
  const int64_t x_volume = volume(f.x_extent), w_volume = volume(f.kernel), y_volume = volume(f.y_extent);
  for (int64_t n = 0; n < f.batch; ++n)
    for (int64_t gk = 0; gk < f.groups * f.y_channels; ++gk)
      for (int64_t c = 0; c < f.x_channels; ++c) {
        const int64_t gc = gk / f.y_channels * f.x_channels + c;
        const int64_t x = (n * f.groups * f.x_channels + gc) * x_volume;
        const int64_t y = (n * f.groups * f.y_channels + gk) * y_volume;
        int64_t w = (gk * f.x_channels + c) * w_volume;
        for (int64_t r0 = 0; r0 < f.kernel[0]; ++r0)
          for (int64_t r1 = 0; r1 < f.kernel[1]; ++r1)
            for (int64_t r2 = 0; r2 < f.kernel[2]; ++r2, ++w) {
              const Range o0s = outputs_of_tap(f, 0, r0), o1s = outputs_of_tap(f, 1, r1),
                          o2s = outputs_of_tap(f, 2, r2);
              for (int64_t o0 = o0s.begin; o0 < o0s.end; ++o0)
                for (int64_t o1 = o1s.begin; o1 < o1s.end; ++o1) {
                  const int64_t x_row = x + row_major(f.x_extent, f.x_position(0, o0, r0), f.x_position(1, o1, r1),
                                                      f.x_position(2, 0, r2));
                  const int64_t y_row = y + row_major(f.y_extent, o0, o1, 0);
                  for (int64_t o2 = o2s.begin; o2 < o2s.end; ++o2) visit(x_row + o2 * f.stride[2], w, y_row + o2);
                }
            }
      }
}

/// For every position of the computed face along one axis, the in-bounds (output, tap) pairs that meet there.
template <class T>
std::vector<int64_t> taps_by_position(const Trilinear<T>& f, int axis) {
  const Axes& extent = f.face == Face::kX ? f.x_extent : f.face == Face::kY ? f.y_extent : f.kernel;
  std::vector<int64_t> taps(static_cast<size_t>(extent[axis]), 0);
  for (int64_t r = 0; r < f.kernel[axis]; ++r) {
    const Range outputs = outputs_of_tap(f, axis, r);
    for (int64_t o = outputs.begin; o < outputs.end; ++o)
      ++taps[static_cast<size_t>(f.face == Face::kX ? f.x_position(axis, o, r) : f.face == Face::kY ? o : r)];
  }
  return taps;
}

/// Starts every element at the bias of its channel, or at zero.
template <class T>
void start(Expected<T>& expected, const Trilinear<T>& f, int64_t outer, int64_t channels, int64_t plane,
           bool magnitudes) {
  expected.value.assign(static_cast<size_t>(outer * channels * plane), 0);
  if (f.bias) {
    expected.has_bias = true;
    auto element = expected.value.begin();
    for (int64_t n = 0; n < outer; ++n)
      for (int64_t channel = 0; channel < channels; ++channel)
        for (int64_t i = 0; i < plane; ++i) *element++ = f.bias[channel * f.bias_stride];
  }
  if (!magnitudes) return;
  expected.magnitude.resize(expected.value.size());
  for (size_t i = 0; i < expected.value.size(); ++i) expected.magnitude[i] = std::abs(expected.value[i]);
}

/// Adds the products of two operands into the third, `to`, indexed by `target(x, w, y)`.
template <class T, class Product, class Target>
void accumulate(const Trilinear<T>& f, Expected<T>& expected, const Product& product, const Target& target) {
  Wide<T>* value = expected.value.data();
  if (expected.magnitude.empty()) {
    for_each_product(f, [&](int64_t x, int64_t w, int64_t y) { value[target(x, w, y)] += product(x, w, y); });
    return;
  }
  Wide<T>* magnitude = expected.magnitude.data();
  for_each_product(f, [&](int64_t x, int64_t w, int64_t y) {
    const Wide<T> term = product(x, w, y);
    value[target(x, w, y)] += term;
    magnitude[target(x, w, y)] += std::abs(term);
  });
}

template <class T>
Expected<T> compute_face(const Trilinear<T>& f, bool magnitudes) {
  const int64_t x_total = f.groups * f.x_channels, y_total = f.groups * f.y_channels;
  Expected<T> expected;
  for (int axis = 0; axis < kAxes; ++axis) expected.taps[axis] = taps_by_position(f, axis);
  std::vector<Wide<T>> x, w, y;
  if (f.face != Face::kX) x = gathered(f.x, f.batch, x_total, f.x_extent);
  if (f.face != Face::kW) w = gathered(f.w, y_total, f.x_channels, f.kernel);
  if (f.face != Face::kY) y = gathered(f.y, f.batch, y_total, f.y_extent);
  switch (f.face) {
    case Face::kX:
      expected.factor = f.y_channels;
      start(expected, f, f.batch, x_total, volume(f.x_extent), magnitudes);
      accumulate(
          f, expected, [&](int64_t, int64_t wi, int64_t yi) { return y[yi] * w[wi]; },
          [](int64_t xi, int64_t, int64_t) { return xi; });
      break;
    case Face::kY:
      expected.factor = f.x_channels;
      start(expected, f, f.batch, y_total, volume(f.y_extent), magnitudes);
      accumulate(
          f, expected, [&](int64_t xi, int64_t wi, int64_t) { return x[xi] * w[wi]; },
          [](int64_t, int64_t, int64_t yi) { return yi; });
      break;
    case Face::kW:
      expected.factor = f.batch;
      start(expected, f, y_total, f.x_channels, volume(f.kernel), magnitudes);
      accumulate(
          f, expected, [&](int64_t xi, int64_t, int64_t yi) { return x[xi] * y[yi]; },
          [](int64_t, int64_t wi, int64_t) { return wi; });
      break;
  }
  return expected;
}

/// diff_bias: the given gradient summed over batch and positions, per channel.
template <class T>
Expected<T> compute_diff_bias(const Trilinear<T>& f, bool magnitudes) {
  const Operand<T>& gradient = f.bias_on_x ? f.x : f.y;
  const Axes& extent = f.bias_on_x ? f.x_extent : f.y_extent;
  const int64_t channels = f.groups * (f.bias_on_x ? f.x_channels : f.y_channels);
  Expected<T> expected;
  expected.taps.fill({1});
  expected.factor = f.batch * volume(extent);
  expected.value.assign(static_cast<size_t>(channels), 0);
  if (magnitudes) expected.magnitude.assign(static_cast<size_t>(channels), 0);
  const std::vector<Wide<T>> dense = gathered(gradient, f.batch, channels, extent);
  for (size_t i = 0; i < dense.size(); ++i) {
    const size_t channel = i / static_cast<size_t>(volume(extent)) % static_cast<size_t>(channels);
    expected.value[channel] += dense[i];
    if (magnitudes) expected.magnitude[channel] += std::abs(dense[i]);
  }
  return expected;
}

/// The error bound of every element, from its terms and magnitude.
template <class T>
void set_bounds(Expected<T>& expected) {
  expected.bound.reserve(expected.magnitude.size());
  while (expected.bound.size() < expected.magnitude.size())  // once per (outer, inner) plane
    for (size_t i0 = 0; i0 < expected.taps[0].size(); ++i0)
      for (size_t i1 = 0; i1 < expected.taps[1].size(); ++i1)
        for (size_t i2 = 0; i2 < expected.taps[2].size(); ++i2)
          expected.bound.push_back(direct_bound<T, Wide<T>>(
              expected.terms(i0, i1, i2), static_cast<double>(expected.magnitude[expected.bound.size()])));
}

}  // namespace

template <class T>
std::vector<Expected<T>> compute_reference(const convict_problem& p, const convict_tensors& t, bool bounds) {
  const Trilinear<T> form = trilinear<T>(p, t);
  std::vector<Expected<T>> outputs;
  for (const Role& role : kRoles) {
    const convict_tensor& tensor = t.*role.tensor;
    if (!role.is_output[p.pass] || tensor.ndim == 0) continue;
    outputs.push_back(tensor.ndim == 1 ? compute_diff_bias(form, bounds) : compute_face(form, bounds));
    outputs.back().role = role.name;
    outputs.back().tensor = &tensor;
    if (bounds) set_bounds(outputs.back());
  }
  return outputs;
}

template std::vector<Expected<float>> compute_reference(const convict_problem&, const convict_tensors&, bool);
template std::vector<Expected<double>> compute_reference(const convict_problem&, const convict_tensors&, bool);

}  // namespace convict

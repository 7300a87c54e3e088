// SPDX-License-Identifier: Apache-2.0
#include "kernels/border/limits.h"

#include <algorithm>
#include <cmath>

namespace convict::kernels::border {
namespace {

/// Whether so many products are many, and mostly with padding.
bool mostly_padding(const Trilinear<float>& f, double products) {
  constexpr double kMany = 1e9, kMostPadding = 32;
  return products > kMany && products > kMostPadding * products_inside(f);
}

}  // namespace

Sizes::Sizes(const Trilinear<float>& f) {
  const bool is_x = f.face == Face::kX;
  calls = static_cast<double>(f.batch) * static_cast<double>(f.groups);
  image_rows = static_cast<double>(is_x ? f.y_channels : f.x_channels);
  result_rows = static_cast<double>(is_x ? f.x_channels : f.y_channels);
  positions = phases = taps = image = result = 1;
  for (int i = 0; i < kAxes; ++i) {
    const auto x = static_cast<double>(f.x_extent[i]), y = static_cast<double>(f.y_extent[i]);
    const double stride = std::min(static_cast<double>(f.stride[i]), std::max(x, 1.0));
    last_positions = is_x ? std::ceil(x / stride) : y;
    positions *= last_positions;
    phases *= is_x ? stride : 1;
    taps *= static_cast<double>(f.kernel[i]);
    image *= is_x ? y : x;
    result *= is_x ? x : y;
  }
  products = calls * image_rows * result_rows * positions * taps;
}

ScatterSizes::ScatterSizes(const Trilinear<float>& f) {
  const auto groups = static_cast<double>(f.groups), channels = static_cast<double>(f.x_channels);
  depth = static_cast<double>(f.y_channels);
  rows = x = static_cast<double>(f.batch);
  columns = channels;
  for (int i = 0; i < kAxes; ++i) {
    columns *= static_cast<double>(f.kernel[i]);
    rows *= static_cast<double>(f.y_extent[i]);
    x *= static_cast<double>(f.x_extent[i]);
  }
  rows_of_taps = groups * columns / static_cast<double>(f.kernel[kAxes - 1]);
  weights = groups * depth * columns;
  y = groups * depth * rows;
  x *= groups * channels;
}

double products_inside(const Trilinear<float>& f) {
  double products = static_cast<double>(f.batch) * static_cast<double>(f.groups) * static_cast<double>(f.x_channels) *
                    static_cast<double>(f.y_channels);
  for (int i = 0; i < kAxes; ++i) {
    double meetings = 0;
    for (int64_t r = 0; r < f.kernel[i]; ++r) {
      const Range o = outputs_of_tap(f, i, r);
      meetings += static_cast<double>(std::max<int64_t>(0, o.end - o.begin));
    }
    products *= meetings;
  }
  return products;
}

bool mostly_padding(const convict_problem& p) {
  return mostly_padding(trilinear<float>(p, {}), Sizes(trilinear<float>(p, {})).products);
}

bool mostly_cropped(const convict_problem& p) {
  const Trilinear<float> f = trilinear<float>(p, {});
  const ScatterSizes s(f);
  return mostly_padding(f, s.weights * s.rows);
}

bool too_large_to_scatter(const convict_problem& p) {
  constexpr double kMost = 0x1p28;
  const ScatterSizes s(trilinear<float>(p, {}));
  return s.weights > kMost || s.y > kMost * static_cast<double>(p.batch);
}

bool too_large_to_stage(const convict_problem& p) {
  constexpr double kMost = 0x1p28, kMostLanes = 16;
  const Trilinear<float> f = trilinear<float>(p, {});
  const bool is_x = f.face == Face::kX;
  double image = static_cast<double>(is_x ? f.y_channels : f.x_channels) * static_cast<double>(f.groups);
  double y = std::ceil(static_cast<double>(f.y_channels) / kMostLanes) * kMostLanes * static_cast<double>(f.groups);
  double weights = static_cast<double>(f.x_channels) * y, phases = 1;
  for (int i = 0; i < kAxes; ++i) {
    const auto stride = static_cast<double>(f.stride[i]),
               window = static_cast<double>(f.dilation[i]) * static_cast<double>(f.kernel[i]);
    const auto x_extent = static_cast<double>(f.x_extent[i]), y_extent = static_cast<double>(f.y_extent[i]);
    image *= is_x ? x_extent / stride + window / stride + 2 : y_extent * stride + window;
    y *= y_extent;
    weights *= static_cast<double>(f.kernel[i]);
    phases *= is_x ? std::min(stride, x_extent) : 1;
  }
  return image > kMost || weights > kMost || phases > kMost || (f.face == Face::kW && y > kMost);
}

}  // namespace convict::kernels::border

// SPDX-License-Identifier: Apache-2.0
#include "kernels/fft/sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace convict::kernels::fft {
namespace {

constexpr int64_t kMostPoints = int64_t{1} << 22;  // of one axis
constexpr double kMostNumbers = 0x1p26;            // of the spectra of one operand that are kept together

/// Coordinates from the first to the last element, as a number that does not overflow.
double reach(const SignalAxis& axis) {
  return static_cast<double>(axis.extent - 1) * static_cast<double>(axis.spacing) + 1;
}

struct Reaches {
  double y, w;
  double convolved() const { return y + w - 1; }
};

Reaches reaches(const Trilinear<float>& f, int axis) {
  return {reach(signal_axis(f, Signal::kY, axis)), reach(signal_axis(f, Signal::kW, axis))};
}

int64_t power_of_two(double least) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(least))); }

/// The smallest number of points of an axis.
int64_t fewest_points(const Trilinear<float>& f, int axis) {
  const Reaches r = reaches(f, axis);
  return std::max<int64_t>(power_of_two(f.face == Face::kW ? r.convolved() : r.w), axis == kAxes - 1 ? 2 : 1);
}

TransformAxis axis_of_size(const Trilinear<float>& f, int axis, int64_t size) {
  if (f.face == Face::kW) return {size, 0, 0, size, 1};
  const bool is_x = f.face == Face::kX;
  const auto window = static_cast<int64_t>(reaches(f, axis).w);
  const SignalAxis result = signal_axis(f, is_x ? Signal::kX : Signal::kY, axis);
  const int64_t length = size - window + 1, all = (result.extent - 1) * result.spacing + 1;
  return {size, result.origin, is_x ? window - 1 : 0, length, (all + length - 1) / length};
}

struct Shape {
  double rows, depth, columns;  // of a group: rows that are tiles are of one image of one tile
};

Shape shape_of(const Trilinear<float>& f) {
  const auto x = static_cast<double>(f.x_channels), y = static_cast<double>(f.y_channels),
             n = static_cast<double>(f.batch);
  switch (f.face) {
    case Face::kX: return {n, y, x};
    case Face::kY: return {n, x, y};
    case Face::kW: break;
  }
  return {x, n, y};
}

/// Numbers of the largest operand's spectra of a group; of the rows one has to be there, or for W all.
double numbers_of(const Trilinear<float>& f, double points, double lanes) {
  const Shape s = shape_of(f);
  const double rows = f.face == Face::kW ? std::max(s.rows, lanes) : 1, columns = std::max(s.columns, lanes);
  return 2 * points *
         std::max({rows * std::max(s.depth, f.face == Face::kW ? 1 : lanes), s.depth * columns, rows * columns});
}

/// Cycles of all transforms and products; fitted by hand to measured times.
double cycles_of(const Trilinear<float>& f, const Sizes& sizes, double lanes) {
  constexpr double kStart = 4200, kTouch = 23, kLevel = 1.9, kProduct = 5, kProductOfVectors = 7;
  Shape s = shape_of(f);
  const bool is_w = f.face == Face::kW, lanes_are_groups = sizes.lanes_are_groups;
  if (!is_w) s.rows *= static_cast<double>(sizes.tiles());
  const auto vectors = [&](double channels) { return lanes_are_groups ? channels : std::ceil(channels / lanes); };
  const auto points = static_cast<double>(sizes.points()), groups = static_cast<double>(f.groups);
  const double transforms = (is_w ? vectors(s.rows) * s.depth : s.rows * vectors(s.depth)) +
                            s.depth * vectors(s.columns) + s.rows * vectors(s.columns);
  const double products = s.rows * s.depth * vectors(s.columns) * (lanes_are_groups ? kProductOfVectors : kProduct);
  return kStart + (lanes_are_groups ? std::ceil(groups / lanes) : groups) * points *
                      (transforms * (kTouch + kLevel * std::log2(points)) + products);
}

}  // namespace

SignalAxis signal_axis(const Trilinear<float>& f, Signal signal, int axis) {
  switch (signal) {
    case Signal::kX: return {f.x_extent[axis], 1, f.pad_begin[axis]};
    case Signal::kY: return {f.y_extent[axis], f.stride[axis], 0};
    case Signal::kW: break;
  }
  return {f.kernel[axis], f.dilation[axis], 0};
}

Sizes cheapest_sizes(const Trilinear<float>& f, int64_t lanes) {
  std::array<std::array<int64_t, 2>, kAxes> range;
  for (int axis = 0; axis < kAxes; ++axis) {
    const int64_t fewest = fewest_points(f, axis);
    const SignalAxis result = signal_axis(f, f.face == Face::kX ? Signal::kX : Signal::kY, axis);
    const double all = f.face == Face::kW ? 1 : reach(result) + reaches(f, axis).w - 1;
    range[axis] = {fewest, std::max(fewest, power_of_two(std::min(all, static_cast<double>(kMostPoints))))};
  }
  Sizes best{};
  Sizes sizes{};
  for (int64_t n0 = range[0][0]; n0 <= range[0][1]; n0 *= 2)
    for (int64_t n1 = range[1][0]; n1 <= range[1][1]; n1 *= 2)
      for (int64_t n2 = range[2][0]; n2 <= range[2][1]; n2 *= 2)
        for (const bool lanes_are_groups : {false, true}) {
          sizes.axis = {axis_of_size(f, 0, n0), axis_of_size(f, 1, n1), axis_of_size(f, 2, n2)};
          sizes.lanes_are_groups = lanes_are_groups;
          const auto points = static_cast<double>(sizes.points());
          if (best.cycles > 0 && numbers_of(f, points, static_cast<double>(lanes)) > kMostNumbers) continue;
          sizes.cycles = cycles_of(f, sizes, static_cast<double>(lanes));
          if (best.cycles == 0 || sizes.cycles < best.cycles) best = sizes;
        }
  return best;
}

bool too_large(const Trilinear<float>& f) {
  double points = 1;
  for (int axis = 0; axis < kAxes; ++axis) {
    const Reaches r = reaches(f, axis);
    const double least = f.face == Face::kW ? r.convolved() : r.w;
    if (least > static_cast<double>(kMostPoints)) return true;
    points *= static_cast<double>(power_of_two(std::max(least, 1.0)));
  }
  constexpr double kMostLanes = 16;
  return numbers_of(f, points, kMostLanes) > kMostNumbers;
}

}  // namespace convict::kernels::fft

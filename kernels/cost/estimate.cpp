// SPDX-License-Identifier: Apache-2.0
#include "kernels/cost/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abi/trilinear.h"
#include "kernels/border/planes.h"
#include "kernels/fft/sizes.h"
#include "kernels/gemm/weight_plan.h"

namespace convict::kernels::cost {
namespace {

/// Sizes of a problem as floating-point numbers, so that nothing overflows.
struct Sizes {
  double calls;                      // batch * groups
  double image_rows, result_rows;    // channels of a group on the side that is read (W: X), and that is written (W: Y)
  double positions, last_positions;  // of one plane of the result (W: of Y): those of a phase; of the last axis only
  double phases, taps;               // of the whole window
  double image, result;              // elements of one plane
  double products;                   // all, those with padding included

  explicit Sizes(const Trilinear<float>& f) {
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
};

double whole(double count, double unit) { return std::ceil(count / unit) * unit; }

/// Products whose position is inside the image.
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

/// Whether so many products are many, and mostly with padding.
bool mostly_padding(const Trilinear<float>& f, double products) {
  constexpr double kMany = 1e9, kMostPadding = 32;
  return products > kMany && products > kMostPadding * products_inside(f);
}

/// Face X as a product that is scattered.
struct ScatterSizes {
  double weights;       // of all groups
  double depth;         // channels of Y, of one group
  double columns;       // channels of X of one group, with every tap
  double rows;          // positions of Y, of all images
  double rows_of_taps;  // of all channels of X and of one position of Y: taps along the last axis are one
  double y, x;          // elements

  explicit ScatterSizes(const Trilinear<float>& f) {
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
};

Sizes sizes_of(const convict_problem& p) { return Sizes(trilinear<float>(p, {})); }

}  // namespace

double direct_cycles(const convict_problem& p) {
  const double products = products_inside(trilinear<float>(p, {}));
  constexpr double kStart = 300, kProduct = 1.6, kRow = 12;
  return kStart + products * (kProduct + kRow / std::max(1.0, sizes_of(p).last_positions));
}

double gemm_cycles(const convict_problem& p, int64_t lanes) {
  const Sizes s = sizes_of(p);
  const auto vector = static_cast<double>(lanes);
  constexpr double kStart = 3500, kStaged = 0.5, kPacked = 3, kFewestRows = 4, kWaiting = 1.1;
  const double kWeight = s.phases > 1 ? 3 : 1, kStored = s.phases > 1 ? 3 : 1;  // sorted by phases, or as they are
  const double copies = s.calls * (s.image_rows * s.image * kStaged + s.result_rows * s.result * kStored) +
                        static_cast<double>(p.groups) * s.image_rows * s.result_rows * s.taps * kWeight;
  if (p.pass == CONVICT_BACKWARD_WEIGHTS) {
    const gemm::WeightCycles cycles = gemm::weight_cycles(trilinear<float>(p, {}), lanes);
    return kStart + s.calls * s.image_rows * s.image * kStaged +
           s.calls * std::min(cycles.lanes_are_channels, cycles.lanes_are_columns) * kWaiting;
  }
  // Lanes are positions; a row of B costs its packing, and at least the latency of the sums.
  const double rows = std::max(1.0, s.result_rows);
  return kStart + copies +
         s.products / rows * whole(s.positions, vector) / std::max(1.0, s.positions) / vector *
             (std::max(rows * s.phases, kFewestRows) / s.phases / 2 + kPacked / s.phases);
}

/// Two products at a time, and an epilogue for each result.
double int8_cycles(const convict_problem& p, int64_t lanes) {
  const Sizes s = sizes_of(p);
  constexpr double kEpilogue = 10;
  return gemm_cycles(p, lanes) / 2 + s.calls * s.result_rows * s.result * kEpilogue;
}

double window_cycles(const convict_problem& p, int64_t lanes) {
  const Sizes s = sizes_of(p);
  const auto vector = static_cast<double>(lanes);
  constexpr double kStart = 1500, kPlane = 150, kStaged = 0.5, kRow = 20;
  const double kWeight = p.pass == CONVICT_BACKWARD_WEIGHTS ? 16 : 1.5;  // summed over lanes, or broadcast
  const double planes = s.calls * s.image_rows * s.result_rows * s.phases;
  return kStart +
         planes * (kPlane + s.taps / s.phases * kWeight + s.positions / std::max(1.0, s.last_positions) * kRow) +
         s.calls * s.image_rows * s.image * kStaged +
         s.products * whole(s.last_positions, vector) / std::max(1.0, s.last_positions) / vector *
             (p.pass == CONVICT_BACKWARD_WEIGHTS ? 1.3 : 0.7);
}

double winograd_cycles(const convict_problem& p, int64_t lanes, int m) {
  const Trilinear<float> f = trilinear<float>(p, {});
  const Sizes s = sizes_of(p);
  const auto vector = static_cast<double>(lanes);
  const Axes& extent = f.face == Face::kX ? f.x_extent : f.y_extent;
  constexpr double kStart = 1500, kMultiply = 0.55, kMapped = 9, kStored = 12, kTap = 2;
  const double kWeight = f.face == Face::kX ? 12 : 10;  // mirrored, and channels the other way round
  double products = 1, tiles = 1;                       // of a tile; of an image
  for (int i = 0; i < kAxes; ++i) {
    if (f.kernel[i] == 1) continue;
    products *= m + 2;
    tiles *= std::ceil(static_cast<double>(extent[i]) / m);
  }
  const double image_vectors = std::ceil(s.image_rows / vector), result_vectors = std::ceil(s.result_rows / vector);
  const double of_tile =
      products * (s.image_rows * result_vectors * kMultiply + image_vectors * kMapped + result_vectors * kStored);
  return kStart + s.calls * tiles * of_tile +
         static_cast<double>(p.groups) * s.image_rows * result_vectors * (products * kWeight + s.taps * kTap);
}

double scatter_cycles(const convict_problem& p, int64_t lanes) {
  const Trilinear<float> f = trilinear<float>(p, {});
  const ScatterSizes s(f);
  const auto vector = static_cast<double>(lanes), last_taps = static_cast<double>(f.kernel[kAxes - 1]);
  constexpr double kStart = 4000, kWeight = 0.6, kPacked = 2, kStarted = 0.5, kSummed = 3, kFewestRows = 4;
  const double copies = s.weights * kWeight + s.y * kPacked + s.x * kStarted;
  // A vector of sums costs its products, at least their latency, and a visit to memory.
  const double vectors = static_cast<double>(p.groups) * whole(s.columns, vector) / vector;
  const double sums = vectors * (s.depth / 2 * std::max(s.rows, kFewestRows) + s.rows * kSummed);
  const double added = s.rows * s.rows_of_taps * (3 + std::min(last_taps, 4.0) + last_taps / vector * 2.5);
  // Threads divide columns.
  const double idle = std::max(1.0, p.threads / std::max(1.0, vectors));
  return kStart + (copies + sums + added) * idle;
}

double fft_cycles(const convict_problem& p, int64_t lanes) {
  const Trilinear<float> f = trilinear<float>(p, {});
  const double kMeasured = f.face == Face::kW ? 2 : 1;  // sizes are chosen by cycles that are right for the others
  return border::has_products(f) ? fft::cheapest_sizes(f, lanes).cycles * kMeasured
                                 : std::numeric_limits<double>::infinity();
}

bool mostly_padding(const convict_problem& p) { return mostly_padding(trilinear<float>(p, {}), sizes_of(p).products); }

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

}  // namespace convict::kernels::cost

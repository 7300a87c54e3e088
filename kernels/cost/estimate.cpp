// SPDX-License-Identifier: Apache-2.0
#include "kernels/cost/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abi/trilinear.h"
#include "kernels/border/limits.h"
#include "kernels/border/planes.h"
#include "kernels/depthwise/channel_product.h"
#include "kernels/fft/sizes.h"
#include "kernels/gemm/weight_plan.h"

namespace convict::kernels::cost {
namespace {

/// For a vector of products. Machines take half a cycle for some vectors, and one for others: of 64 bytes on AMD Zen 4.
constexpr double kMultiply = 0.85;

double whole(double count, double unit) { return std::ceil(count / unit) * unit; }

/// Windows with channels in the lanes: for each vector of them, copies there and back, and the products.
double channel_window_cycles(const Job& job, double lanes) {
  const border::Sizes& s = job.sizes;
  constexpr double kStart = 1500, kBlock = 800, kCopied = 12, kProduct = 0.5;
  const double blocks = static_cast<double>(job.form.batch) * std::ceil(static_cast<double>(job.form.groups) / lanes);
  return kStart +
         blocks * (kBlock + (s.image + s.result + s.taps) * kCopied + s.products / std::max(1.0, s.calls) * kProduct);
}

/// Of the spectra that are read or written again and again: for W, those of as many rows of sums as there are lanes;
/// else those of all weights of a group.
double bytes_of_spectra(const Trilinear<float>& f, const fft::Sizes& sizes, int64_t lanes) {
  const int64_t rows = f.face == Face::kW ? std::min(f.x_channels, lanes) : f.x_channels;
  const int64_t vectors = (f.y_channels + lanes - 1) / lanes;
  return static_cast<double>(sizes.points()) * static_cast<double>(2 * lanes * rows * vectors) * sizeof(float);
}

}  // namespace

double direct_cycles(const Job& job) {
  constexpr double kStart = 300, kProduct = 1.6, kRow = 12;
  return kStart + border::products_inside(job.form) * (kProduct + kRow / std::max(1.0, job.sizes.last_positions));
}

double gemm_cycles(const Job& job, int64_t lanes) {
  const border::Sizes& s = job.sizes;
  const auto vector = static_cast<double>(lanes);
  constexpr double kStart = 3500, kStaged = 0.5, kPacked = 1, kFewestRows = 4, kWaiting = 1.6;
  const double kWeight = s.phases > 1 ? 3 : 1, kStored = s.phases > 1 ? 3 : 1;  // sorted by phases, or as they are
  const double kChannel = job.form.face == Face::kX && s.taps > 1 ? 400 : 0;    // of mirrored weights
  const double kCall = job.form.face == Face::kW ? 800 : 400;  // of an image and group, which begin anew
  const double copies = s.calls * (s.image_rows * s.image * kStaged + s.result_rows * s.result * kStored) +
                        static_cast<double>(job.form.groups) * s.image_rows * kChannel +
                        static_cast<double>(job.form.groups) * s.image_rows * s.result_rows * s.taps * kWeight;
  if (job.form.face == Face::kW) {
    const gemm::WeightCycles cycles = gemm::weight_cycles(job.form, lanes);
    return kStart + s.calls * (kCall + s.image_rows * s.image * kStaged +
                               std::min(cycles.lanes_are_channels, cycles.lanes_are_columns) * kWaiting);
  }
  // Lanes are positions; a row of B costs its packing, and at least the latency of the sums.
  const double rows = std::max(1.0, s.result_rows);
  return kStart + copies + s.calls * kCall +
         s.products / rows * whole(s.positions, vector) / std::max(1.0, s.positions) / vector *
             (std::max(rows * s.phases, kFewestRows) / s.phases * kMultiply + kPacked / s.phases);
}

/// A cell is a number of another product; and each vector of results has an epilogue.
double int8_cycles(const Job& job, int64_t lanes, int members) {
  const border::Sizes& s = job.sizes;
  constexpr double kStart = 2500, kEpilogue = 12;
  return kStart + gemm_cycles(job, lanes) / members +
         s.calls * s.result_rows * s.result * kEpilogue / static_cast<double>(lanes);
}

double window_cycles(const Job& job, int64_t lanes) {
  const border::Sizes& s = job.sizes;
  const auto vector = static_cast<double>(lanes);
  if (depthwise::ChannelPlan<float>::suits(job.form)) return channel_window_cycles(job, vector);
  constexpr double kStart = 1500, kPlane = 150, kStaged = 0.5, kRow = 20;
  const double kWeight = job.form.face == Face::kW ? 16 : 1.5;  // summed over lanes, or broadcast
  const double planes = s.calls * s.image_rows * s.result_rows * s.phases;
  const double rows = s.positions / std::max(1.0, s.last_positions);
  // A vector of the image, once loaded, serves all rows of a tile.
  const double kProduct = job.form.face == Face::kW ? 1.0 : 0.6 + 1.7 / std::max(1.0, rows);
  return kStart + planes * (kPlane + s.taps / s.phases * kWeight + rows * kRow) +
         s.calls * s.image_rows * s.image * kStaged +
         s.products * whole(s.last_positions, vector) / std::max(1.0, s.last_positions) / vector * kProduct;
}

double winograd_cycles(const Job& job, int64_t lanes, int m) {
  const Trilinear<float>& f = job.form;
  const border::Sizes& s = job.sizes;
  const auto vector = static_cast<double>(lanes);
  const Axes& extent = f.face == Face::kX ? f.x_extent : f.y_extent;
  constexpr double kStart = 1500, kMapped = 9, kStored = 12, kWeight = 4;
  const double kTap = f.face == Face::kX ? 30 : 2;  // mirrored, and channels the other way round
  double products = 1, tiles = 1;                   // of a tile; of an image
  for (int i = 0; i < kAxes; ++i) {
    if (f.kernel[i] == 1) continue;
    products *= m + 2;
    const auto dilation = static_cast<double>(f.dilation[i]), results = static_cast<double>(extent[i]);
    const double spans = std::floor(results / (dilation * m));
    tiles *= spans * dilation + std::min(dilation, results - spans * dilation * m);
  }
  const double image_vectors = std::ceil(s.image_rows / vector), result_vectors = std::ceil(s.result_rows / vector);
  const double of_tile =
      products * (s.image_rows * result_vectors * kMultiply + image_vectors * kMapped + result_vectors * kStored);
  // Where neither the transformed image nor the transformed weights stay in a third-level cache, the image is read from
  // memory for every panel of two vectors of channels. Panels of AVX-512 have four times as many channels; there,
  // transforms took less time than implicit_gemm on the same layer.
  constexpr double kCache = 16e6, kFar = 0.4;  // bytes; cycles of a byte
  const double bytes = products * s.image_rows * sizeof(float), panels = std::ceil(result_vectors / 2);
  const bool far = lanes <= 8 && bytes * std::min(tiles, s.result_rows) > kCache;
  const double waiting = far ? s.calls * tiles * bytes * panels * kFar : 0;
  return kStart + waiting + s.calls * tiles * of_tile +
         static_cast<double>(job.form.groups) * s.image_rows * result_vectors * (products * kWeight + s.taps * kTap);
}

double scatter_cycles(const Job& job, int64_t lanes) {
  const Trilinear<float>& f = job.form;
  const border::ScatterSizes s(f);
  const auto vector = static_cast<double>(lanes), last_taps = static_cast<double>(f.kernel[kAxes - 1]);
  constexpr double kStart = 4000, kWeight = 0.6, kPacked = 2, kStarted = 0.5, kSummed = 3, kFewestRows = 4;
  const double copies = s.weights * kWeight + s.y * kPacked + s.x * kStarted;
  // A vector of sums costs its products, at least their latency, and a visit to memory.
  const double vectors = static_cast<double>(job.form.groups) * whole(s.columns, vector) / vector;
  const double sums = vectors * (s.depth * kMultiply * std::max(s.rows, kFewestRows) + s.rows * kSummed);
  const double added = s.rows * s.rows_of_taps * (3 + std::min(last_taps, 4.0) + last_taps / vector * 2.5);
  // Threads divide columns.
  const double idle = std::max(1.0, f.threads / std::max(1.0, vectors));
  return kStart + (copies + sums + added) * idle;
}

double fft_cycles(const Job& job, int64_t lanes) {
  const Trilinear<float>& f = job.form;
  if (!border::has_products(f)) return std::numeric_limits<double>::infinity();
  // Sizes are chosen by cycles that are right for whole vectors; narrow ones (fft/plan.cpp) take less time for as many
  // operations. Where spectra do not stay in a third-level cache, others wait for memory.
  constexpr double kNarrow = 0.7;
  const bool is_w = f.face == Face::kW;
  const double kFar = is_w ? 2.5 : 1.5, kCache = is_w ? 6e6 : 16e6;
  const fft::Sizes sizes = fft::cheapest_sizes(f, lanes);
  const int64_t channels = std::max({f.x_channels, f.y_channels, f.groups});
  const bool narrow = 2 * channels <= lanes;
  const bool far = !sizes.lanes_are_groups && bytes_of_spectra(f, sizes, narrow ? channels : lanes) > kCache;
  return sizes.cycles * (narrow ? kNarrow : 1) * (far ? kFar : 1);
}

}  // namespace convict::kernels::cost

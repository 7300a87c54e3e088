// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/plan.h"

#include <cstdio>
#include <numeric>

#include "kernels/border/planes.h"
#include "kernels/work/team.h"

namespace convict::kernels::scatter {
namespace {

constexpr int64_t kBytesOfC = 256 << 10;      // of a second-level cache
constexpr int64_t kMostVectorsOfBlock = 32;   // of columns
constexpr int64_t kBytesOfCopies = 32 << 20;  // of X, at most

// Images are computed together until there are this many rows, because the weights are read again for the next ones.
constexpr int64_t kManyRows = 512;

}  // namespace

template <class T>
Plan<T>::Plan(const Trilinear<T>& f)
    : form(f),
      tiles(simd::tiles<T>()),
      overlap_add(scatter::overlap_add<T>()),
      positions(volume(f.y_extent)),
      window_rows(f.kernel[0] * f.kernel[1]),
      taps(volume(f.kernel)),
      images_at_once(std::clamp<int64_t>(kManyRows / positions, 1, f.batch)),
      copied(!border::taps_are_dense(f) || (f.x_channels > 1 && f.w.inner != taps)) {
  weight_pitch = copied ? work::odd_lines<T>(f.x_channels * taps) : f.w.outer;
  const double products = static_cast<double>(f.batch) * static_cast<double>(f.groups * f.y_channels) *
                          static_cast<double>(f.x_channels * taps) * static_cast<double>(positions);
  threads = work::threads_for(f.threads, products);
  choose_columns();
  choose_parts();
  choose_rows();
  carve();
}

template <class T>
void Plan<T>::choose_columns() {
  const int64_t most = kMostVectorsOfBlock * tiles.lanes;
  taps_at_once = std::min(form.kernel[2], most);
  window_rows_at_once = std::min(most / taps_at_once, taps_at_once < form.kernel[2] ? 1 : window_rows);
  channels_at_once = taps_at_once * window_rows_at_once < taps ? 1 : std::min(most / taps, form.x_channels);
  // Several items for every thread, so that no thread waits long for the others.
  const int64_t wanted = threads > 1 ? 4 * threads : 1;
  while (channels_at_once > 1 && form.groups * channel_blocks() < wanted) channels_at_once = (channels_at_once + 1) / 2;
  // Blocks begin where vectors do, so that these do not cross cache lines.
  const int64_t whole_vectors = tiles.lanes / std::gcd(taps, tiles.lanes);
  if (channels_at_once > whole_vectors) channels_at_once -= channels_at_once % whole_vectors;
}

/// Divides columns into parts only if there are too few channels for the threads. Then each thread gets as many parts.
template <class T>
void Plan<T>::choose_parts() {
  const int64_t items = form.groups * channel_blocks();
  int64_t wanted = items < 4 * threads ? threads / std::gcd(items, threads) : 1;
  const double bytes = static_cast<double>(numbers_of_copy()) * sizeof(T);
  while (wanted > 1 && static_cast<double>(wanted - 1) * bytes > kBytesOfCopies) --wanted;
  if (column_blocks() < wanted && window_rows > 1)
    window_rows_at_once = work::panels_of(window_rows, wanted);
  else if (column_blocks() < wanted)
    taps_at_once = std::min(taps_at_once, work::panels_of(work::panels_of(taps, wanted), tiles.lanes) * tiles.lanes);
  blocks_of_part = work::panels_of(column_blocks(), wanted);
  threads = static_cast<int>(std::min<int64_t>(threads, items * parts()));
}

template <class T>
Operand<T> Plan<T>::target(const Images& images, int64_t part) const {
  if (part == 0) return {&form.x.at(images.first, 0, 0, 0, 0), form.x.outer, form.x.inner, form.x.spatial};
  const Axes& extent = form.x_extent;
  const int64_t plane = volume(extent);
  return {copies + (part - 1) * numbers_of_copy(),
          form.groups * form.x_channels * plane,
          plane,
          {extent[1] * extent[2], extent[2], 1}};
}

template <class T>
void Plan<T>::choose_rows() {
  pitch = work::odd_lines<T>(channels_at_once * window_rows_at_once * taps_at_once);
  const int64_t bytes_of_panel = tiles.most_rows * pitch * static_cast<int64_t>(sizeof(T));
  has_even_tiles = tiles.multiply_even[static_cast<int>(simd::RowOrder::kInterleaved)][tiles.most_rows] != nullptr;
  panels_at_once =
      std::clamp<int64_t>(kBytesOfC / bytes_of_panel, 1, work::panels_of(images_at_once * positions, tiles.most_rows));
}

template <class T>
void Plan<T>::carve() {
  weight_row = workspace.take<int64_t>(simd::kMostDepth<T> + simd::kRowsAhead);
  rest_row = workspace.take<int64_t>(simd::kMostDepth<T>);
  zeros = workspace.take<T>(panels_at_once * tiles.most_rows);
  y = workspace.take<T>(images_at_once * positions * form.groups * form.y_channels);
  if (copied) weights = workspace.take<T>(form.groups * form.y_channels * weight_pitch);
  if (parts() > 1) copies = workspace.take<T>((parts() - 1) * numbers_of_copy());
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back({workspace.take<T>(panels_at_once * tiles.most_rows * pitch),
                       workspace.take<T>(std::min(form.y_channels, simd::kMostDepth<T>) * tiles.lanes),
                       workspace.take<T>(copies_weights(panels_at_once)
                                             ? std::min(form.y_channels, simd::kMostDepth<T>) * 2 * tiles.lanes
                                             : 0),
                       workspace.take<SumRow>(window_rows_at_once)});
}

template <class T>
void Plan<T>::prepare() {
  workspace.allocate(form.workspace);
  carve();
  std::fill_n(zeros, panels_at_once * tiles.most_rows, T(0));
  std::fill_n(weight_row + simd::kMostDepth<T>, simd::kRowsAhead, 0);
  for (int64_t k = 0; k < simd::kMostDepth<T>; ++k) {
    weight_row[k] = k * weight_pitch;
    rest_row[k] = k * tiles.lanes;
  }
}

template <class T>
std::string Plan<T>::text() const {
  const int64_t rows = images_at_once * positions;
  char line[200];
  std::snprintf(line, sizeof line, "%s scatter %s%s tile=%dx%d depth=%d block=%dx%d threads=%d workspace=%lld",
                tiles.isa, copied ? "copied" : "in-place", copies_weights(panels_at_once) ? " copying" : "",
                static_cast<int>(work::larger_first(rows, tiles.most_rows, 0).count), static_cast<int>(2 * tiles.lanes),
                static_cast<int>(std::min(form.y_channels, simd::kMostDepth<T>)),
                static_cast<int>(std::min(rows, panels_at_once * tiles.most_rows)),
                static_cast<int>(channels_at_once * window_rows_at_once * taps_at_once), threads,
                static_cast<long long>(workspace.bytes()));
  return line;
}

template struct Plan<float>;
template struct Plan<double>;

}  // namespace convict::kernels::scatter

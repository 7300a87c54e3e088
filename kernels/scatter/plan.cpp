// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/plan.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "kernels/border/planes.h"
#include "kernels/work/team.h"

namespace convict::kernels::scatter {
namespace {

constexpr int64_t kBytesOfC = 256 << 10;      // of a second-level cache
constexpr int64_t kMostVectorsOfBlock = 32;   // of columns
constexpr int64_t kBytesOfCopies = 32 << 20;  // of X, at most

// Images are computed together until there are this many rows, because the weights are read again for the next ones.
constexpr int64_t kManyRows = 512;

/// A dimension of the weights, their channels of X or of Y: how many, and how far apart before and after copying.
struct WeightChannels {
  int64_t count, step, step_of_copy;
};

/// Copies the weights to where all of a channel of Y lie side by side. Of the channels, neighbours are copied together.
template <class T>
void copy_weights(const Plan<T>& plan, work::Team& team) {
  const Trilinear<T>& f = plan.form;
  WeightChannels near = {f.x_channels, f.w.inner, plan.taps};
  WeightChannels far = {f.groups * f.y_channels, f.w.outer, plan.weight_pitch};
  if (near.step > far.step) std::swap(near, far);
  team.share(far.count, [&](int64_t i) {
    T* to = plan.weights + i * far.step_of_copy;
    border::for_each_in_plane(Operand<T>{f.w.data, far.step, 0, f.w.spatial}, f.kernel, i, 0, [&](const T& first) {
      for (int64_t j = 0; j < near.count; ++j) to[j * near.step_of_copy] = (&first)[j * near.step];
      ++to;
    });
  });
}

/// Which image, of those that are taken together, and which position of Y a row of C belongs to.
struct Position {
  int64_t n;
  Axes o;
};

template <class T>
Position position_of(const Plan<T>& plan, int64_t row) {
  const Axes& extent = plan.form.y_extent;
  const int64_t in_plane = row % plan.positions;
  return {row / plan.positions,
          {in_plane / (extent[1] * extent[2]), in_plane / extent[2] % extent[1], in_plane % extent[2]}};
}

/// Packs a panel of rows of Y, over the whole depth.
template <class T>
void pack_y(const Plan<T>& plan, const Images& images, int64_t group, work::Panel panel) {
  const Trilinear<T>& f = plan.form;
  const T* from[simd::kMostTileRows];
  for (int64_t i = 0; i < panel.count; ++i) {
    const Position at = position_of(plan, panel.first + i);
    from[i] = &f.y.at(images.first + at.n, group * f.y_channels, at.o[0], at.o[1], at.o[2]);
  }
  for (int64_t block = 0; block < plan.depth_blocks(); ++block) {
    const work::Panel depth = plan.depth_block(block);
    T* to = plan.packed_y(images, group, depth) + panel.first * depth.count;
    for (int64_t k = depth.first; k < depth.first + depth.count; ++k)
      for (int64_t i = 0; i < panel.count; ++i) *to++ = from[i][k * f.y.inner];
  }
}

/// Copies less than a vector of columns of the weights, because memory after them may not be read. Further lanes repeat
/// the last column, and their sums are not used.
template <class T>
void pack_rest(const Plan<T>& plan, int64_t depth, const T* weights, int64_t columns, T* to) {
  for (int64_t k = 0; k < depth; ++k, weights += plan.weight_pitch)
    for (int64_t j = 0; j < plan.tiles.lanes; ++j) *to++ = weights[std::min(j, columns - 1)];
}

/// Adds to the sums of a block, or starts them, over a block of the depth: panels of rows by columns whose first
/// weights are at `weights`.
template <class T>
void multiply(const Plan<T>& plan, const Images& images, int64_t group, work::Panel depth, work::Panel panels,
              const T* weights, int64_t columns, const Scratch<T>& scratch) {
  constexpr auto kOrder = static_cast<int>(simd::RowOrder::kInterleaved);
  const int64_t lanes = plan.tiles.lanes, first_row = plan.panel(images, panels.first).first;
  const T *y = plan.packed_y(images, group, depth), *start = depth.first == 0 ? plan.zeros : nullptr;
  for (int64_t column = 0, vectors; column < columns; column += vectors * lanes) {
    const int64_t rest = columns - column;
    vectors = rest < 2 * lanes ? 1 : 2;
    simd::TileProduct<T> product{};
    product.tiles = 1;
    product.depth = depth.count;
    product.b = weights + column;
    product.b_row = plan.weight_row;
    product.b_vector = lanes;
    product.next = vectors * lanes;
    product.start = start;
    product.c_stride = plan.pitch;
    if (rest < lanes) {
      pack_rest(plan, depth.count, product.b, rest, scratch.weights);
      product.b = scratch.weights;
      product.b_row = plan.rest_row;
    }
    const int64_t end = panels.first + panels.count;
    for (int64_t i = panels.first, next; i < end; i = next) {
      const work::Panel panel = plan.panel(images, i);
      for (next = i + 1; next < end && plan.panel(images, next).count == panel.count;) ++next;
      product.panels = next - i;
      product.a = y + panel.first * depth.count;
      product.a_step = panel.count;
      product.a_panel = panel.count * depth.count;
      product.c = scratch.c + (panel.first - first_row) * plan.pitch + column;
      if (!plan.copies_weights(panels.count) || vectors != 2) {
        plan.tiles.multiply[kOrder][vectors][panel.count](product);
      } else if (i == panels.first) {
        product.b_stride = plan.weight_pitch;
        plan.tiles.multiply_and_copy[kOrder][true][panel.count](product, scratch.copy);
        product.b = scratch.copy;
        product.b_stride = 2 * lanes;
        product.next = 0;
      } else {
        plan.tiles.multiply_even[kOrder][panel.count](product);
      }
    }
  }
}

/// The taps through which position o of an axis of Y meets X: outputs_of_tap the other way round. May be empty.
template <class T>
Range taps_of_output(const Trilinear<T>& f, int axis, int64_t o) {
  const int64_t before = -f.x_position(axis, o, 0), dilation = f.dilation[axis];  // r*dilation inside: from here
  const int64_t after = before + f.x_extent[axis];                                // to here
  const int64_t begin = before <= 0 ? 0 : (before + dilation - 1) / dilation;
  const int64_t end = after <= 0 ? 0 : (after + dilation - 1) / dilation;
  return {begin, std::min(end, f.kernel[axis])};
}

/// Lists the rows of taps of a block that meet X, of any position with these first two coordinates; returns how many.
template <class T>
int64_t list_window(const Trilinear<T>& f, const Operand<T>& x, const ColumnBlock& block, const Axes& o, SumRow* list) {
  const Range inside0 = taps_of_output(f, 0, o[0]), inside1 = taps_of_output(f, 1, o[1]);
  int64_t count = 0, r0 = block.rows.first / f.kernel[1], r1 = block.rows.first % f.kernel[1];
  for (int64_t row = 0; row < block.rows.count; ++row) {
    if (r0 >= inside0.begin && r0 < inside0.end && r1 >= inside1.begin && r1 < inside1.end)
      list[count++] = {row * block.taps.count,
                       f.x_position(0, o[0], r0) * x.spatial[0] + f.x_position(1, o[1], r1) * x.spatial[1]};
    if (++r1 < f.kernel[1]) continue;
    r1 = 0;
    ++r0;
  }
  return count;
}

/// Adds some rows of C, from `sums` on, to the channels of a block.
template <class T>
void scatter(const Plan<T>& plan, const Operand<T>& x, int64_t group, const ColumnBlock& block, work::Panel rows,
             const T* sums, SumRow* list) {
  const Trilinear<T>& f = plan.form;
  SumWindow window = {
      list, 0, 0, f.dilation[2] * x.spatial[2], block.channels.count, block.rows.count * block.taps.count, x.inner};
  for (int64_t row = rows.first; row < rows.first + rows.count;) {  // one row of positions after another
    Position at = position_of(plan, row);
    window.rows = list_window(f, x, block, at.o, list);
    T* first = x.plane(at.n, group * f.x_channels + block.channels.first);
    for (; at.o[2] < f.y_extent[2] && row < rows.first + rows.count; ++at.o[2], ++row, sums += plan.pitch) {
      const Range inside = taps_of_output(f, 2, at.o[2]);
      const int64_t begin = std::max(inside.begin, block.taps.first);
      window.length = std::min(inside.end, block.taps.first + block.taps.count) - begin;
      if (window.length <= 0) continue;
      plan.overlap_add(window, sums + begin - block.taps.first, first + f.x_position(2, at.o[2], begin) * x.spatial[2]);
    }
  }
}

/// The sums of a block of columns, for all rows.
template <class T>
void add_block(const Plan<T>& plan, const Images& images, const Operand<T>& x, int64_t group, const ColumnBlock& block,
               const Scratch<T>& scratch) {
  const Trilinear<T>& f = plan.form;
  const T* weights = (plan.copied ? plan.weights : f.w.data) + group * f.y_channels * plan.weight_pitch +
                     block.channels.first * plan.taps + block.rows.first * f.kernel[2] + block.taps.first;
  for (int64_t i = 0; i < work::panels_of(plan.panels(images), plan.panels_at_once); ++i) {
    const work::Panel panels = work::panel_of(plan.panels(images), plan.panels_at_once, i);
    for (int64_t j = 0; j < plan.depth_blocks(); ++j) {
      const work::Panel depth = plan.depth_block(j);
      multiply(plan, images, group, depth, panels, weights + depth.first * plan.weight_pitch, block.columns(), scratch);
    }
    const work::Panel top = plan.panel(images, panels.first),
                      bottom = plan.panel(images, panels.first + panels.count - 1);
    // Few channels at a time: they may compete for the same sets of a cache.
    constexpr int64_t kChannels = 8;
    for (int64_t c = 0; c < block.channels.count; c += kChannels) {
      ColumnBlock some = block;
      some.channels = {block.channels.first + c, std::min(kChannels, block.channels.count - c)};
      scatter(plan, x, group, some, {top.first, bottom.first + bottom.count - top.first},
              scratch.c + c * block.rows.count * block.taps.count, scratch.window);
    }
  }
}

/// Computes one part of the columns of some channels of X. Only this thread adds to its target, so the order is fixed.
template <class T>
void compute_part(const Plan<T>& plan, const Images& images, int64_t group, work::Panel channels, int64_t part,
                  const Scratch<T>& scratch) {
  const Trilinear<T>& f = plan.form;
  const Operand<T> x = plan.target(images, part);
  for (int64_t n = 0; n < images.count; ++n)
    for (int64_t c = channels.first; c < channels.first + channels.count; ++c)
      if (part == 0)
        border::start_plane(f, x, f.x_extent, n, group * f.x_channels + c);
      else
        std::fill_n(x.plane(n, group * f.x_channels + c), volume(f.x_extent), T(0));
  const work::Panel blocks = plan.part(part);
  for (int64_t i = blocks.first; i < blocks.first + blocks.count; ++i)
    add_block(plan, images, x, group, plan.column_block(channels, i), scratch);
}

/// Adds the copies of X to it, in order.
template <class T>
void add_copies(const Plan<T>& plan, const Images& images, work::Team& team) {
  constexpr int64_t kPiece = 4096;  // of a row
  const Axes& extent = plan.form.x_extent;
  const int64_t channels = plan.form.groups * plan.form.x_channels, pieces = work::panels_of(extent[2], kPiece);
  const Operand<T> x = plan.target(images, 0);
  team.share(images.count * channels * extent[0] * extent[1] * pieces, [&](int64_t i) {
    const work::Panel piece = work::panel_of(extent[2], kPiece, i % pieces);
    const int64_t row = i / pieces, plane = row / (extent[0] * extent[1]);
    T* to = &x.at(plane / channels, plane % channels, row / extent[1] % extent[0], row % extent[1], piece.first);
    for (int64_t part = 1; part < plan.parts(); ++part) {
      const T* from = plan.target(images, part).data + row * extent[2] + piece.first;
      for (int64_t j = 0; j < piece.count; ++j) to[j * x.spatial[2]] += from[j];
    }
  });
}

/// What every thread does.
template <class T>
void run_thread(const Plan<T>& plan, work::Team& team, int thread) {
  const Trilinear<T>& f = plan.form;
  if (plan.copied) copy_weights(plan, team);
  for (int64_t first = 0; first < f.batch; first += plan.images_at_once) {
    const int64_t count = std::min(plan.images_at_once, f.batch - first);
    const Images images = {first, count, count * plan.positions};
    const int64_t panels = plan.panels(images), blocks = plan.channel_blocks(), parts = plan.parts();
    team.share(f.groups * panels, [&](int64_t i) { pack_y(plan, images, i / panels, plan.panel(images, i % panels)); });
    team.share(f.groups * blocks * parts, [&](int64_t i) {
      const int64_t block = i / parts;
      compute_part(plan, images, block / blocks, plan.channel_block(block % blocks), i % parts, plan.scratch[thread]);
    });
    if (parts > 1) add_copies(plan, images, team);
  }
}

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

template <class T>
void Plan<T>::compute() {
  prepare();
  work::Team::run(threads, [&](work::Team& team, int thread) { run_thread(*this, team, thread); });
}

template struct Plan<float>;
template struct Plan<double>;

}  // namespace convict::kernels::scatter

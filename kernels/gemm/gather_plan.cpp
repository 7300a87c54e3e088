// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_plan.h"

#include <cstdio>
#include <utility>

#include "kernels/border/planes.h"

namespace convict::kernels::gemm {
namespace {

// Parts without padding have weights of their own, and narrow rows, which are packed piece by piece. That has to serve
// many rows of C.
constexpr double kLeastPadding = 0.1, kMostCostOfParts = 128, kMostWeights = 4;
constexpr int64_t kNarrowest = 8, kFewestRows = 64;

/// Positions by taps of an axis, and taps, of all classes.
struct AxisWork {
  double products, taps;
  int64_t narrowest;
};

AxisWork work_of(const image::CorrelationAxis& axis) {
  AxisWork work{0, 0, INT64_MAX};
  for (const image::AxisClass& one : axis.classes) {
    const auto taps = static_cast<double>(one.offsets.size());
    work.taps += taps;
    work.products += static_cast<double>(one.positions) * taps;
    work.narrowest = std::min(work.narrowest, one.positions);
  }
  return work;
}

/// The axes of the form. If much of the last one's products are with padding, it has parts that leave them out; on the
/// other axes tiles do (taps_first).
template <class T>
image::Correlation gather_axes(const Trilinear<T>& form) {
  image::Correlation axes = image::correlation(form);
  const bool is_x = form.face == Face::kX;
  if ((is_x ? form.x_channels : form.y_channels) < kFewestRows) return axes;
  image::CorrelationAxis split = image::without_padding(axes[2]);
  const AxisWork whole = work_of(axes[2]), parts = work_of(split);
  const double saved = 1 - parts.products / std::max(1.0, whole.products);
  const auto positions = static_cast<double>(form.batch * volume(is_x ? form.x_extent : form.y_extent));
  if (parts.narrowest >= kNarrowest && saved >= kLeastPadding && parts.taps <= kMostWeights * whole.taps &&
      saved * positions > kMostCostOfParts * (parts.taps / whole.taps - 1))
    axes[2] = std::move(split);
  return axes;
}

// Of a second-level cache: blocks of C, and of A if they are used only once, beside the tiles of B. Others may be
// larger than that: a tile of B stays in the first-level cache meanwhile, and is packed again for each slice of A.
constexpr int64_t kBytesOfC = 256 << 10, kBytesOfA = 256 << 10, kMostBytesOfA = 1 << 20;
constexpr int64_t kMostBytesOfTiles = 8 << 20;  // shared
constexpr int64_t kBytesOfImage = 512 << 10;    // staged for each thread, if there are groups

// Several for every thread, so that no thread waits long for the others.
constexpr int64_t kItemsOfThread = 4;
// Of a block of which no cache has to keep anything: each tile reads the image, and goes to the result, once.
constexpr int64_t kMostTilesOnce = 32;

// Reading the image in place saves the packing of tiles, but computes the gaps between the rows of positions, too, and
// then C has to go through a buffer. Packing counts for less where it serves more rows, the buffer where sums are
// longer.
constexpr double kMostGapsInPlace = 0.3, kMostGapsOfRow = 6, kBuffered = 10;
constexpr int64_t kMostRowsAskew = 64;
constexpr int64_t kFewRows = 32;  // of B: wherever they lie, a tile of them stays in the first-level cache

// Weights that are read row by row: so many rows for each time that B comes from far away, or one panel if that has
// more.
constexpr int64_t kRowsTogether = 48;

// Rows of weights are copied as they are, unless they are so short that most of their memory would be unused.
constexpr int64_t kShallow = 64;

// Sorting a weight takes as long as products with so many positions.
constexpr double kMostCostOfSorting = 64;
// Channel by channel, taps read the same cache lines again. That is worth more than a few products.
constexpr double kMostInside = 0.95;
constexpr int64_t kMostOfRows = 4;  // rows of a part, for each that a tile touches

/// The share of positions and taps of an axis that read inside the image.
double share_inside(const image::CorrelationAxis& axis, const image::AxisClass& one) {
  int64_t inside = 0;
  for (const int64_t offset : one.offsets)
    for (int64_t p = 0; p < one.positions; ++p)
      inside += p * axis.step + offset >= 0 && p * axis.step + offset < axis.image_extent;
  const auto all = static_cast<double>(one.positions) * static_cast<double>(one.offsets.size());
  return all == 0 ? 1 : static_cast<double>(inside) / all;
}

/// Whether positions are equally far apart, row after row, if one further on an axis is `pitch` further in memory.
bool is_even(const Axes& positions, const Axes& pitch) {
  return (positions[1] == 1 || pitch[1] == positions[2] * pitch[2]) &&
         (positions[0] == 1 || pitch[0] == positions[1] * positions[2] * pitch[2]);
}

/// Whether they lie side by side.
bool is_dense(const Axes& positions, const Axes& pitch) { return pitch[2] == 1 && is_even(positions, pitch); }

/// At most `most`, or one less if all panels are equal then: one call computes a block of columns.
int64_t rows_of_panels(int64_t rows, int64_t most) {
  return rows % most != 0 && rows % (most - 1) == 0 ? most - 1 : most;
}

/// Calls visit(index, i, j, k) for all combinations, the last one counting fastest.
template <class Visit>
void for_each_combination(int64_t count0, int64_t count1, int64_t count2, const Visit& visit) {
  int64_t index = 0;
  for (int64_t i = 0; i < count0; ++i)
    for (int64_t j = 0; j < count1; ++j)
      for (int64_t k = 0; k < count2; ++k) visit(index++, Axes{i, j, k});
}

template <class Part, class Visit>
void for_each_tap(const Part& part, const Visit& visit) {
  for_each_combination(part.axis[0]->offsets.size(), part.axis[1]->offsets.size(), part.axis[2]->offsets.size(), visit);
}

template <class Part, class Visit>
void for_each_phase(const Part& part, const Visit& visit) {
  for_each_combination(part.axis[0]->phases.size(), part.axis[1]->phases.size(), part.axis[2]->phases.size(), visit);
}

}  // namespace

template <class T>
Axes GatherPart<T>::position_of(int64_t column) const {
  Axes at;
  at[0] = positions[0] == 1 ? 0 : std::min(column / pitch[0], positions[0] - 1);
  column -= at[0] * pitch[0];
  at[1] = positions[1] == 1 ? 0 : std::min(column / pitch[1], positions[1] - 1);
  at[2] = column - at[1] * pitch[1];
  return at;
}

template <class T>
GatherPlan<T>::GatherPlan(const Trilinear<T>& f, const CellPort* cell_port)
    : form(f),
      port(cell_port),
      image(f.face == Face::kX ? f.y : f.x),
      result(f.face == Face::kX ? f.x : f.y),
      image_channels(f.face == Face::kX ? f.y_channels : f.x_channels),
      result_channels(f.face == Face::kX ? f.x_channels : f.y_channels),
      axes(gather_axes(f)),
      shape(image::image_shape(axes, image)),
      staging(simd::staging<T>()),
      spread(simd::spread_row<T>()),
      interleave(simd::interleave_rows<T>()),
      tiles(simd::tiles<T>()),
      tile_columns(2 * tiles.lanes) {
  for (int i = 0; i < kAxes; ++i) step[i] = axes[i].out_step * result.spatial[i];
  for (const image::AxisClass& class0 : axes[0].classes)
    for (const image::AxisClass& class1 : axes[1].classes)
      for (const image::AxisClass& class2 : axes[2].classes) add_part(class0, class1, class2);
  interleaved = can_interleave();
  parts_together = interleaved ? axes[2].classes.size() : 1;
  threads = work::threads_for(form.threads, products());
  choose_groups();
  choose_items();
  carve();
}

template <class T>
void GatherPlan<T>::add_part(const image::AxisClass& class0, const image::AxisClass& class1,
                             const image::AxisClass& class2) {
  GatherPart<T> part{};
  part.axis = {&class0, &class1, &class2};
  part.rows = result_channels * part.phases();
  part.taps = 1;
  for (int i = 0; i < kAxes; ++i) {
    part.positions[i] = part.axis[i]->positions;
    part.taps *= static_cast<int64_t>(part.axis[i]->offsets.size());
  }
  part.depth = image_channels * part.taps;
  part.dense_taps = part.taps == volume(form.kernel) && part.phases() == 1 && border::taps_are_dense(form);
  part.taps_first = leaves_out_taps(part);
  const int64_t channel_stride = form.face == Face::kX ? form.w.outer : form.w.inner;
  const bool rows_are_dense = part.dense_taps && channel_stride == part.taps;
  part.order = rows_are_dense && part.depth >= kShallow && !part.taps_first && !kIsCell<T>
                   ? simd::RowOrder::kApart
                   : simd::RowOrder::kInterleaved;
  const int64_t most = rows_of_panels(part.rows, tiles.most_rows), panels = work::panels_of(part.rows, most);
  part.panels.reserve(static_cast<size_t>(panels));
  for (int64_t i = 0; i < panels; ++i) part.panels.push_back(work::larger_first(part.rows, most, i));
  part.larger_panels = panels == 0 ? 0 : part.rows % panels;
  choose_columns(part);
  parts.push_back(std::move(part));
}

/// Whether that saves more than sorting the weights costs. Few rows of positions may be in a tile.
template <class T>
bool GatherPlan<T>::leaves_out_taps(const GatherPart<T>& part) const {
  if constexpr (kIsCell<T>)
    if (port->padding() != 0) return false;
  double inside = 1;
  for (int i = 0; i < kAxes - 1; ++i) inside *= share_inside(axes[i], *part.axis[i]);
  const int64_t rows_of_tile = tile_columns / std::max<int64_t>(1, part.positions[2]) + 1;
  return part.depth > 0 && kMostOfRows * rows_of_tile <= part.positions[1] && inside < kMostInside &&
         (1 - inside) * static_cast<double>(volume(part.positions)) > kMostCostOfSorting;
}

template <class T>
void GatherPlan<T>::choose_columns(GatherPart<T>& part) const {
  const Axes& positions = part.positions;
  const Axes dense = {positions[1] * positions[2], positions[2], 1};
  const auto columns = [&](const Axes& pitch) {
    return (positions[0] - 1) * pitch[0] + (positions[1] - 1) * pitch[1] + positions[2];
  };
  // Places as columns, less the rows between two planes: each begins with a tile.
  Axes places = shape.pitch;
  if (shape.staged) {
    const int64_t plane = (positions[1] - 1) * places[1] + positions[2];
    places[0] = std::min(places[0], work::panels_of(plane, tile_columns) * tile_columns);
  }
  const bool even = part.phases() == 1 && is_even(positions, step);
  const bool straight = even && step[2] == 1 && form.beta == 0 && !kIsCell<T>;
  // Beyond the last position there is no memory to read, except in a staged image.
  const double most_gaps = std::min(
      kMostGapsInPlace, kMostGapsOfRow / static_cast<double>(std::max<int64_t>(1, part.rows)) -
                            (straight ? kBuffered / static_cast<double>(std::max<int64_t>(1, part.depth)) : 0));
  const bool narrow_gaps =
      static_cast<double>(columns(places)) <= (1 + most_gaps) * static_cast<double>(volume(positions));
  // Vectors that cross cache lines cost more than packing as soon as there are many rows to load them for.
  const bool aligned = !shape.staged && shape.channel % tiles.lanes == 0;
  const int64_t fewest = part.has_even_rows() ? simd::kFewestPanelsToCopyEvenRowsFor : simd::kFewestPanelsToCopyFor;
  const bool stays = part.has_even_rows() && aligned && part.depth <= kFewRows;
  part.copies = static_cast<int64_t>(part.panels.size()) >= fewest && !stays && volume(positions) >= part.rows &&
                tiles.multiply_and_copy[static_cast<int>(part.order)][part.has_even_rows()][part.panels[0].count];
  const bool has_rows = !is_dense(positions, shape.pitch) && positions[2] % tiles.lanes == 0;
  const bool has_places = (aligned || part.copies || part.rows <= kMostRowsAskew) &&
                          (is_dense(positions, shape.pitch) || (shape.staged && narrow_gaps));
  part.source = part.depth == 0 ? ColumnSource::kPacked
                : has_rows      ? ColumnSource::kByRows
                : has_places    ? ColumnSource::kInPlace
                                : ColumnSource::kPacked;
  part.copies &= part.reads_image();
  part.pitch = part.source == ColumnSource::kInPlace && shape.staged ? places : dense;
  part.columns = columns(part.pitch);
  part.even = even && part.columns == volume(positions);
  part.straight = straight && part.even;
  part.vectors = part.panels.empty() ? 2 : tiles.most_vectors_of[part.panels[0].count];
  part.tile_columns = tile_columns;
  part.tiles_of_c = work::panels_of(part.columns, tile_columns);
}

/// Whether every element along the last axis belongs to a phase, there is code for so many of them, and enough channels
/// share what is to be found out about a row.
template <class T>
bool GatherPlan<T>::can_interleave() const {
  if (kIsCell<T> || form.beta != 0 || result.spatial[2] != 1 || step[2] < 2 || step[2] > simd::kMostInterleavedRows ||
      result_channels < tiles.lanes)
    return false;
  int64_t phases = 0;
  bool found[simd::kMostInterleavedRows] = {};
  for (const image::AxisClass& one : axes[2].classes)
    for (const image::AxisPhase& phase : one.phases) {
      ++phases;
      found[(phase.first % step[2] + step[2]) % step[2]] = true;
    }
  return phases == step[2] && std::count(found, found + step[2], true) == step[2];
}

template <class T>
void GatherPlan<T>::choose_groups() {
  groups_at_once = form.groups;
  if (!shape.staged) return;
  const int64_t bytes_of_group = image_channels * shape.channel * static_cast<int64_t>(sizeof(T));
  const int64_t most = threads * kBytesOfImage / bytes_of_group;
  groups_at_once = std::clamp(most, std::min<int64_t>(threads, form.groups), form.groups);
  if (groups_at_once < form.groups) groups_at_once -= groups_at_once % threads;
}

template <class T>
void GatherPlan<T>::choose_items() {
  int64_t columns = 1, depth = 1, panels = 1;  // the most of any part
  for (const GatherPart<T>& part : parts) {
    columns = std::max(columns, part.columns);
    depth = std::max(depth, std::min(part.depth, simd::kMostDepth<T>));
    panels = std::max(panels, static_cast<int64_t>(part.panels.size()));
  }
  const int64_t bytes = static_cast<int64_t>(sizeof(T)), tiles_of_c = work::panels_of(columns, tile_columns);
  const int64_t wanted = threads > 1 ? kItemsOfThread * threads : 1;
  const auto slices_for = [&](int64_t bytes_of_a) {
    return work::panels_of(panels, std::max<int64_t>(1, bytes_of_a / (tiles.most_rows * depth * bytes)));
  };
  const bool wide = columns >= panels * tiles.most_rows;  // the smaller operand is the one to be read several times
  slices = slices_for(wide ? kMostBytesOfA : kBytesOfA);
  const int64_t bytes_of_tile = work::panels_of(panels, slices) * tiles.most_rows * tile_columns * bytes;
  const int64_t few = std::clamp<int64_t>(kBytesOfC / bytes_of_tile, 1, kMostTilesOfBlock);
  const bool once = std::ranges::all_of(
      parts, [](const auto& part) { return part.reads_image() && part.straight && part.depth_blocks() == 1; });
  blocks = work::panels_of(tiles_of_c, once ? kMostTilesOnce : few);
  if (wide) {
    blocks = std::max(blocks, work::panels_of(wanted, groups_at_once));
    if (groups_at_once % threads != 0) blocks = work::panels_of(blocks, threads) * threads;
  }
  blocks = std::min(blocks, tiles_of_c);
  used_once = form.batch == 1 && blocks == 1 && tiles_of_c <= few;
  const auto shareable = [&](const GatherPart<T>& part) {
    return groups_at_once * part.tiles_of_c * tile_columns <=
           kMostBytesOfTiles / bytes / std::max<int64_t>(1, part.depth);
  };
  // Weights that are used only once are read row by row if they lie like that and none is repeated.
  const bool row_by_row = std::ranges::all_of(
      parts, [&](const auto& part) { return part.order == simd::RowOrder::kApart && shareable(part); });
  if (used_once)
    slices = row_by_row ? work::panels_of(panels, std::max<int64_t>(1, kRowsTogether / tiles.most_rows))
                        : slices_for(kBytesOfA);
  slices = std::min(panels, std::max(slices, work::panels_of(wanted, groups_at_once * blocks)));
  c_pitch = work::panels_of(tiles_of_c, blocks) * tile_columns;
  for (GatherPart<T>& part : parts)
    if (part.source == ColumnSource::kPacked && slices > 1 && part.depth > 0 && shareable(part))
      part.source = ColumnSource::kShared;
}

template <class T>
double GatherPlan<T>::products() const {
  double sum = 0;
  for (const GatherPart<T>& part : parts)
    sum += static_cast<double>(part.rows * part.depth) * static_cast<double>(part.columns);
  return sum * static_cast<double>(form.batch * form.groups);
}

template <class T>
std::string GatherPlan<T>::text() const {
  const GatherPart<T>& part = parts[0];
  char line[200];
  std::snprintf(line, sizeof line,
                "%s gather %s %s%s%s tile=%dx%d depth=%d block=%d parts=%d%s%s threads=%d workspace=%lld", tiles.isa,
                shape.staged ? "staged" : "unstaged",
                std::array{"packed", "shared", "in-place", "by-rows"}[static_cast<size_t>(part.source)],
                part.copies ? " copying" : "", part.taps_first ? " taps-first" : "",
                static_cast<int>(part.panels.empty() ? 0 : part.panels[0].count),
                static_cast<int>((part.reads_image() ? part.vectors : 2) * tiles.lanes),
                static_cast<int>(std::min(part.depth, simd::kMostDepth<T>)), static_cast<int>(c_pitch),
                static_cast<int>(parts.size()), part.straight ? " straight" : "", interleaved ? " interleaved" : "",
                threads, static_cast<long long>(workspace.bytes()));
  return line;
}

// The memory of a plan, and the tables in it.

template <class T>
void GatherPlan<T>::carve() {
  int64_t most_of_c = 0, most_of_weights = 0, most_of_tiles = 0, c_place = 0;
  for (GatherPart<T>& part : parts) {
    const int64_t panels = work::panels_of(static_cast<int64_t>(part.panels.size()), slices);
    const int64_t rows = std::min(part.rows, panels * tiles.most_rows),
                  depth = std::min(part.depth, simd::kMostDepth<T>);
    part.row = workspace.take<ResultRow>(part.rows);
    part.weight = part.dense_taps && !part.taps_first ? nullptr : workspace.take<int64_t>(part.rows * part.taps);
    part.image_row = workspace.take<int64_t>(part.depth + simd::kRowsAhead);
    part.vector_place =
        part.source == ColumnSource::kByRows ? workspace.take<int64_t>(part.columns / tiles.lanes) : nullptr;
    part.start = workspace.take<T>(form.groups * part.rows);
    part.weights = used_once ? nullptr : workspace.take<T>(form.groups * part.rows * part.packed_rows());
    part.tiles =
        part.source == ColumnSource::kShared
            ? workspace.take<T>(groups_at_once * part.tiles_of_c * tile_columns * part.depth)
            : nullptr;
    const int64_t at_once = part.order == simd::RowOrder::kApart && part.depth_blocks() > 1 ? 2 : 1;  // blocks
    if (used_once) most_of_weights = std::max(most_of_weights, at_once * rows * part.packed_row({0, depth}));
    if (part.source != ColumnSource::kShared) most_of_tiles = std::max(most_of_tiles, depth * c_pitch);
    if ((&part - parts.data()) % parts_together == 0) c_place = 0;
    part.c_place = c_place;
    c_place += rows * c_pitch;
    most_of_c = std::max(most_of_c, c_place);
  }
  // Tiles read beyond the last position; there is another channel, or this.
  if (shape.staged) staged = workspace.take<T>(image_channels * groups_at_once * shape.channel + tile_columns);
  packed_row = workspace.take<int64_t>(simd::kMostDepth<T>);
  scratch.clear();
  for (int thread = 0; thread < threads; ++thread)
    scratch.push_back(
        {workspace.take<T>(most_of_c), workspace.take<T>(most_of_weights), workspace.take<T>(most_of_tiles)});
}

template <class T>
void GatherPlan<T>::prepare() {
  workspace.allocate(form.workspace);
  carve();
  for (GatherPart<T>& part : parts) fill_tables(part);
  for (int64_t p = 0; p < simd::kMostDepth<T>; ++p) packed_row[p] = p * tile_columns;
  if (shape.staged) std::fill_n(staged + image_channels * groups_at_once * shape.channel, tile_columns, T(0));
}

template <class T>
void GatherPlan<T>::fill_tables(GatherPart<T>& part) const {
  const auto& axis = part.axis;
  const int64_t phases = part.phases(), row_channel = form.face == Face::kX ? form.w.inner : form.w.outer;
  int64_t least = 0;  // of the last axis
  for (const image::AxisClass& one : axes[2].classes)
    for (const image::AxisPhase& phase : one.phases) least = std::min(least, phase.first);
  for_each_phase(part, [&](int64_t index, const Axes& i) {
    const int64_t beyond = axis[2]->phases[i[2]].first - least;
    ResultRow row{0, 0, {}, {}, beyond % axes[2].out_step, beyond / axes[2].out_step};
    for (int a = 0; a < kAxes; ++a) {
      const image::AxisPhase& phase = axis[a]->phases[i[a]];
      row.offset += phase.first * result.spatial[a];
      row.begin[a] = phase.begin;
      row.end[a] = phase.end;
    }
    if (part.even) row.end[2] = volume(part.positions);  // runs go on over rows of positions
    for (; row.channel < result_channels; ++row.channel, row.offset += result.inner)
      part.row[row.channel * phases + index] = row;
  });
  for (int64_t column = 0; part.source == ColumnSource::kByRows && column < part.columns; column += tiles.lanes) {
    const Axes at = part.position_of(column);
    part.vector_place[column / tiles.lanes] = at[0] * shape.pitch[0] + at[1] * shape.pitch[1] + at[2];
  }
  for_each_tap(part, [&](int64_t tap, const Axes& t) {
    const Axes offset = {axis[0]->offsets[t[0]], axis[1]->offsets[t[1]], axis[2]->offsets[t[2]]};
    const int64_t place = image::tap_place(axes, shape, image, offset);
    for (int64_t c = 0; c < image_channels; ++c) part.image_row[part.depth_of(c, tap)] = c * shape.channel + place;
    if (!part.weight) return;
    for_each_phase(part, [&](int64_t index, const Axes& i) {
      int64_t weight = 0;
      for (int a = 0; a < kAxes; ++a) weight += axis[a]->phases[i[a]].kernel_index[t[a]] * form.w.spatial[a];
      for (int64_t c = 0; c < result_channels; ++c)
        part.weight[tap * part.rows + c * phases + index] = weight + c * row_channel;
    });
  });
  std::fill_n(part.image_row + part.depth, simd::kRowsAhead, 0);
  for (int64_t g = 0; g < form.groups; ++g)
    for (int64_t row = 0; row < part.rows; ++row)
      part.start[g * part.rows + row] =
          form.bias ? form.bias[(g * result_channels + row / phases) * form.bias_stride] : T(0);
  if constexpr (kIsCell<T>)
    if (port->tap_start()) add_tap_start(part);
}

template <class T>
void GatherPlan<T>::add_tap_start(GatherPart<T>& part) const {
  const int64_t phases = part.phases();
  for_each_tap(part, [&](int64_t, const Axes& t) {
    for_each_phase(part, [&](int64_t index, const Axes& i) {
      int64_t tap = 0;
      for (int a = 0; a < kAxes; ++a) tap = tap * form.kernel[a] + part.axis[a]->phases[i[a]].kernel_index[t[a]];
      for (int64_t channel = 0; channel < form.groups * result_channels; ++channel)
        part.start[channel * phases + index] += T(port->tap_start()[channel * volume(form.kernel) + tap]);
    });
  });
}

template struct GatherPart<float>;
template struct GatherPart<double>;
template struct GatherPart<int32_t>;
template struct GatherPlan<float>;
template struct GatherPlan<double>;
template struct GatherPlan<int32_t>;

}  // namespace convict::kernels::gemm

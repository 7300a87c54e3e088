// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/gather_plan.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/gemm/gather_pack.h"
#include "kernels/work/team.h"

namespace convict::kernels::gemm {
namespace {

// The tiles of columns of a gathered product: how many columns each has, where it reads B, and what it needs of the
// depth. Columns are read from the image where it lies, or from packed tiles.

/// Where some tiles of equally many vectors of columns read B: row p at b + row[p], its vectors `apart` elements from
/// each other, the next tile `next` elements further.
template <class T>
struct TileSource {
  int64_t tiles;
  int vectors;
  const T* b;
  const int64_t* row;
  int64_t apart, next;
  bool packed = false;     // rows follow each other
  int64_t row_stride = 0;  // of rows that are equally far apart and whose vectors lie side by side
};

/// Columns that one thread does at a time, and where their tiles read B.
template <class T>
struct BlockColumns {
  const T* image;
  int64_t first, count;
  int64_t
      straight;  // columns that are stored to the result directly: whole vectors, or whole tiles if these are packed
  int64_t in_place;  // columns that read the image
  int64_t again;     // columns before the last ones that are computed once more, with these: they are a whole vector
  bool packs;        // the others
};

/// The taps of an axis through which some position from `first` to `last` reads inside the image; empty if none does.
Range taps_inside(const image::CorrelationAxis& axis, const image::AxisClass& one, int64_t first, int64_t last) {
  Range taps{0, 0};
  for (size_t tap = 0; tap < one.offsets.size(); ++tap) {
    if (last * axis.step + one.offsets[tap] < 0 || first * axis.step + one.offsets[tap] >= axis.image_extent) continue;
    if (taps.end == 0) taps.begin = static_cast<int64_t>(tap);
    taps.end = static_cast<int64_t>(tap) + 1;
  }
  return taps;
}

/// A tile of rows of whole vectors: of as many as are equally far apart.
template <class T>
TileSource<T> tile_by_rows(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t column, const T* image,
                           int64_t& end) {
  const int64_t lanes = plan.tiles.lanes, left = (end - column) / lanes;
  const int64_t* place = part.vector_place + column / lanes;
  const int64_t apart = left > 1 ? place[1] - place[0] : lanes;
  int vectors = 1;
  while (vectors < std::min<int64_t>(left, part.vectors) && place[vectors] == place[vectors - 1] + apart) ++vectors;
  end = column + vectors * lanes;
  return {1,
          vectors,
          image + place[0],
          part.image_row,
          apart,
          vectors < left ? place[vectors] - place[0] : 0,
          /*packed=*/false,
          part.has_even_rows() && apart == lanes ? plan.shape.channel : 0};
}

/// Tiles from a column of C on that read the image in place; they end at `end` or earlier, where their plane does.
template <class T>
TileSource<T> tiles_in_place(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t column, const T* image,
                             bool together, int64_t& end) {
  if (part.source == ColumnSource::kByRows) return tile_by_rows(plan, part, column, image, end);
  const int64_t lanes = plan.tiles.lanes, gap = plan.shape.pitch[0] - part.pitch[0];
  if (gap > 0 && part.positions[0] > 1) {
    const int64_t plane = column / part.pitch[0];
    image += plane * gap;
    end = std::min(end, (plane + 1) * part.pitch[0]);
  }
  const int64_t most = part.vectors * lanes, left = end - column,
                tiles = together ? std::max<int64_t>(1, left / most) : 1;
  end = std::min(end, column + tiles * most);
  return {tiles,
          left < most ? static_cast<int>(work::panels_of(left, lanes)) : part.vectors,
          image + column,
          part.image_row,
          lanes,
          most,
          /*packed=*/false,
          part.has_even_rows() ? plan.shape.channel : 0};
}


/// How many of some columns are stored to the result directly.
template <class T>
int64_t straight_columns(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t columns) {
  if (!part.straight) return 0;
  const int64_t unit = part.reads_image() ? plan.tiles.lanes : plan.tile_columns;
  return columns / unit * unit;
}

/// `image`: the first channel of the group.
// An image that is not staged ends with its last position. So less than a vector of columns is packed, or computed with
// columns before it. These sums go to a buffer that has nothing else there.
template <class T>
BlockColumns<T> block_columns(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel of, const T* image) {
  BlockColumns<T> columns{image, of.first, of.count, straight_columns(plan, part, of.count), 0, 0, false};
  if (part.reads_image()) {
    const int64_t beyond = plan.shape.staged ? 0 : of.count % plan.tiles.lanes;
    columns.in_place = of.count - beyond;
    if (beyond > 0 && columns.straight > 0 && part.source == ColumnSource::kInPlace)
      columns.again = plan.tiles.lanes - beyond;
  }
  columns.packs = part.source != ColumnSource::kShared && columns.in_place < of.count && columns.again == 0;
  return columns;
}

/// The tiles from a column of the block on, or one if there are no more `together`; they end at `end` or earlier. `b`:
/// what is packed, of this block of the depth.
template <class T>
TileSource<T> tiles_at(const GatherPlan<T>& plan, const GatherPart<T>& part, const BlockColumns<T>& columns,
                       work::Panel depth, const T* b, int64_t column, bool together, int64_t& end) {
  const int64_t lanes = plan.tiles.lanes;
  if (column < columns.in_place) {
    end += columns.first;
    TileSource<T> source = tiles_in_place(plan, part, columns.first + column, columns.image, together, end);
    end -= columns.first;
    source.row += depth.first;
    return source;
  }
  if (columns.again > 0)
    return {1, 1, columns.image + columns.first + column - columns.again, part.image_row + depth.first, lanes, 0};
  end = std::min(end, column + plan.tile_columns);
  return {1,
          static_cast<int>(work::panels_of(end - column, lanes)),
          b + (column - columns.in_place) * depth.count,
          plan.packed_row,
          lanes,
          part.source == ColumnSource::kShared ? depth.count * plan.tile_columns : 0,
          /*packed=*/true,
          plan.tile_columns};
}

/// What some columns of C need of a block of the depth.
template <class T>
work::Panel depth_inside(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Panel block, int64_t column,
                         int64_t end) {
  if (!part.taps_first) return block;
  const Axes first = part.position_of(column), last = part.position_of(end - 1);
  if (first[0] != last[0]) return block;
  const Range taps0 = taps_inside(plan.axes[0], *part.axis[0], first[0], last[0]),
              taps1 = taps_inside(plan.axes[1], *part.axis[1], first[1], last[1]);
  if (taps0.end == 0 || taps1.end == 0) return {block.first, 0};
  const auto of_plane = static_cast<int64_t>(part.axis[1]->offsets.size());
  const int64_t of_row = plan.image_channels * part.last_taps();
  const int64_t begin = std::max(block.first, (taps0.begin * of_plane + taps1.begin) * of_row);
  const int64_t beyond = std::min(block.first + block.count, ((taps0.end - 1) * of_plane + taps1.end) * of_row);
  return begin < beyond ? work::Panel{begin, beyond - begin} : work::Panel{block.first, 0};
}

// How sums are taken to the result.

/// Sums of a part, of some rows and columns: row i and column j at c[i*c_pitch + j], both counted from the first.
template <class T>
struct PartSums {
  const GatherPart<T>* part;
  work::Panel rows, columns;
  int64_t straight;  // so many of the columns are in the result already
  const T* c;
};

/// The runs of columns that sums are stored by, except those that are in the result already.
template <class T>
int64_t runs_of(const PartSums<T>& sums, ColumnRun* runs) {
  const GatherPart<T>& part = *sums.part;
  int64_t count = 0, column = sums.straight;
  if (part.even && column < sums.columns.count)
    runs[count++] = {part.position_of(sums.columns.first + column), column, sums.columns.count - column};
  if (part.even) return count;
  while (column < sums.columns.count) {
    const Axes at = part.position_of(sums.columns.first + column);
    if (at[2] < part.positions[2]) {
      const int64_t length = std::min(part.positions[2] - at[2], sums.columns.count - column);
      runs[count++] = {at, column, length};
      column += length;
    } else {  // a gap between two rows
      const int64_t next = at[1] + 1 < part.positions[1] ? at[0] * part.pitch[0] + (at[1] + 1) * part.pitch[1]
                                                         : (at[0] + 1) * part.pitch[0];
      column = next - sums.columns.first;
    }
  }
  return count;
}

template <class T>
void store_run(const GatherPlan<T>& plan, const StoredRun& stored, const T* c, T* result) {
  const T *from = c + stored.column, beta = T(plan.form.beta);
  T* to = result + stored.place;
  if (beta == 0) return plan.spread(from, stored.length, plan.step[2], to);
  for (int64_t j = 0; j < stored.length; ++j) to[j * plan.step[2]] = from[j] + beta * to[j * plan.step[2]];
}

/// Row by row, because the runs of a row lie close together in both.
template <class T>
void store_rows(const GatherPlan<T>& plan, int64_t n, int64_t group, const PartSums<T>& sums) {
  ColumnRun runs[kMostColumnsOfBlock<T>];
  const int64_t count = runs_of(sums, runs);
  if (count == 0) return;  // all are in the result
  const ResultRow* row = sums.part->row + sums.rows.first;
  if constexpr (kIsCell<T>) {
    plan.port->store({n, group, row, sums.rows.count, sums.part->rows / plan.result_channels, runs, count, plan.step,
                      sums.c, plan.c_pitch});
  } else {
    T* result = plan.result.plane(n, group * plan.result_channels);
    for (int64_t i = 0; i < sums.rows.count; ++i)
      for (const ColumnRun* run = runs; run != runs + count; ++run)
        store_run(plan, stored_run(row[i], *run, plan.step), sums.c + i * plan.c_pitch, result);
  }
}

template <class T>
PartSums<T> some_rows(const GatherPlan<T>& plan, PartSums<T> sums, int64_t first, int64_t end) {
  sums.c += (first - sums.rows.first) * plan.c_pitch;
  sums.rows = {first, end - first};
  return sums;
}

template <class T>
void store_apart(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts) {
  for (const PartSums<T>& sums : parts) store_rows(plan, n, group, sums);
}

/// A row of sums of channel 0, which is interleaved with those of the other phases of the last axis.
template <class T>
struct PhaseRow {
  const PartSums<T>* sums;
  int64_t row;
};

/// A sum of channel 0 that is stored by itself, because another phase has none for its step.
struct LoneSum {
  int64_t phase, column, place;
};

/// How the rows of all phases of a channel are stored.
template <class T>
struct InterleavedRows {
  simd::InterleavedPiece piece[kMostColumnsOfBlock<T>];
  LoneSum alone[simd::kMostInterleavedRows * kMostColumnsOfBlock<T>];
  int64_t pieces = 0, lone = 0;
};

template <class T>
struct Runs {
  int64_t count;
  ColumnRun run[kMostColumnsOfBlock<T>];
};

/// Whether runs of two parts are in the same rows of positions.
template <class T>
bool are_aligned(const Runs<T>& a, const Runs<T>& b) {
  return std::equal(a.run, a.run + a.count, b.run, b.run + b.count, [](const ColumnRun& one, const ColumnRun& other) {
    return one.at[0] == other.at[0] && one.at[1] == other.at[1];
  });
}

/// Adds a run. `phase_rows` and `run`: of each phase, in the order of the result.
template <class T>
void add_run(const GatherPlan<T>& plan, const PhaseRow<T>* phase_rows, const ColumnRun* const* run,
             InterleavedRows<T>& rows) {
  const int64_t phases = plan.step[2];
  StoredRun stored[simd::kMostInterleavedRows];
  int64_t begin[simd::kMostInterleavedRows], first = INT64_MIN, end = INT64_MAX;  // steps of the result
  for (int64_t i = 0; i < phases; ++i) {
    const ResultRow& row = phase_rows[i].sums->part->row[phase_rows[i].row];
    stored[i] = stored_run(row, *run[i], plan.step);
    begin[i] = run[i]->at[2] + (stored[i].column - run[i]->column) + row.lag;
    first = std::max(first, begin[i]);
    end = std::min(end, begin[i] + stored[i].length);
  }
  end = std::max(first, end);
  const auto add_alone = [&](int64_t phase, int64_t from, int64_t to) {
    const StoredRun& all = stored[phase];
    for (int64_t j = from; j < to; ++j) rows.alone[rows.lone++] = {phase, all.column + j, all.place + j * phases};
  };
  for (int64_t i = 0; i < phases; ++i) {
    const int64_t before = first < end ? first - begin[i] : stored[i].length;
    add_alone(i, 0, before);
    add_alone(i, before + end - first, stored[i].length);
  }
  if (first == end) return;
  simd::InterleavedPiece& piece = rows.piece[rows.pieces++];
  for (int64_t i = 0; i < phases; ++i) piece.first[i] = stored[i].column + first - begin[i];
  piece.count = end - first;
  piece.place = stored[0].place + (first - begin[0]) * phases;
}

/// Some channels, whose rows are among the sums of all parts, of one phase of the other axes.
template <class T>
void store_phase(const GatherPlan<T>& plan, std::span<const PartSums<T>> parts, const Runs<T>* runs, int64_t phase,
                 work::Panel channels, T* result) {
  PhaseRow<T> phase_rows[simd::kMostInterleavedRows];
  const Runs<T>* runs_of_row[simd::kMostInterleavedRows];
  const T* c[simd::kMostInterleavedRows];            // of a channel
  int64_t channel_of_c[simd::kMostInterleavedRows];  // from one to the next
  for (size_t k = 0; k < parts.size(); ++k) {
    const PartSums<T>& sums = parts[k];
    const int64_t phases = sums.part->last_phases(), rows_of_channel = sums.part->rows / plan.result_channels;
    for (int64_t row = phase * phases; row < (phase + 1) * phases; ++row) {
      const int64_t turn = sums.part->row[row].turn;
      phase_rows[turn] = {&sums, row};
      runs_of_row[turn] = &runs[k];
      c[turn] = sums.c + (channels.first * rows_of_channel + row - sums.rows.first) * plan.c_pitch;
      channel_of_c[turn] = rows_of_channel * plan.c_pitch;
    }
  }
  InterleavedRows<T> rows;
  for (int64_t j = 0; j < runs[0].count; ++j) {
    const ColumnRun* run[simd::kMostInterleavedRows];
    for (int64_t i = 0; i < plan.step[2]; ++i) run[i] = &runs_of_row[i]->run[j];
    add_run(plan, phase_rows, run, rows);
  }
  T* to = result + channels.first * plan.result.inner;
  for (int64_t channel = 0; channel < channels.count; ++channel, to += plan.result.inner) {
    plan.interleave(c, plan.step[2], rows.piece, rows.pieces, to);
    for (const LoneSum& sum : std::span(rows.alone, static_cast<size_t>(rows.lone)))
      to[sum.place] = c[sum.phase][sum.column];
    for (int64_t i = 0; i < plan.step[2]; ++i) c[i] += channel_of_c[i];
  }
}

template <class T>
void store_interleaved(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts) {
  Runs<T> runs[kMostPartsTogether];
  int64_t begin = 0, end = plan.result_channels;  // channels all of whose rows are here
  bool aligned = parts.size() == plan.parts_together;
  for (size_t k = 0; k < parts.size(); ++k) {
    const PartSums<T>& sums = parts[k];
    runs[k].count = runs_of(sums, runs[k].run);
    aligned &= are_aligned(runs[0], runs[k]);
    const int64_t of_channel = sums.part->rows / plan.result_channels;
    begin = std::max(begin, work::panels_of(sums.rows.first, of_channel));
    end = std::min(end, (sums.rows.first + sums.rows.count) / of_channel);
  }
  if (!aligned || begin >= end) return store_apart(plan, n, group, parts);
  for (const PartSums<T>& sums : parts) {
    const int64_t of_channel = sums.part->rows / plan.result_channels, after = sums.rows.first + sums.rows.count;
    store_rows(plan, n, group, some_rows(plan, sums, sums.rows.first, begin * of_channel));
    store_rows(plan, n, group, some_rows(plan, sums, end * of_channel, after));
  }
  const int64_t phases = parts[0].part->rows / plan.result_channels / parts[0].part->last_phases();
  for (int64_t phase = 0; phase < phases; ++phase)
    store_phase(plan, parts, runs, phase, {begin, end - begin}, plan.result.plane(n, group * plan.result_channels));
}


/// Stores the sums of a group of image n. The parts are one, or those that are stored together.
template <class T>
void store(const GatherPlan<T>& plan, int64_t n, int64_t group, std::span<const PartSums<T>> parts) {
  if constexpr (!kIsCell<T>)
    if (plan.interleaved) return store_interleaved(plan, n, group, parts);
  store_apart(plan, n, group, parts);
}

// What is computed, by which thread.

/// What one thread does of a part at a time: some panels of rows by one block of columns, over the whole depth.
template <class T>
struct Item {
  const GatherPart<T>* part;
  int64_t group;
  work::Panel columns, panels, rows;
};

template <class T>
work::Panel columns_of(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t block) {
  const work::Panel tiles = work::share_of(part.tiles_of_c, plan.blocks, block);
  const int64_t first = tiles.first * plan.tile_columns;
  return {first, std::min(tiles.count * plan.tile_columns, part.columns - first)};
}

/// Item `index` of a part; it may be empty.
template <class T>
Item<T> item_of(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t index) {
  const int64_t slice = index % plan.slices, block = index / plan.slices % plan.blocks;
  const work::Panel panels = work::share_of(static_cast<int64_t>(part.panels.size()), plan.slices, slice);
  return {&part, index / plan.slices / plan.blocks, columns_of(plan, part, block), panels, part.rows_of(panels)};
}

/// The first channel of a group, of what tiles read: the copy, or image n.
template <class T>
const T* image_of(const GatherPlan<T>& plan, int64_t n, int64_t group) {
  return plan.shape.staged ? plan.staged + group % plan.groups_at_once * plan.image_channels * plan.shape.channel
                           : plan.image.plane(n, group * plan.image_channels);
}

/// All panels of an item, over a block of the depth: at most two runs of equal ones. What is the same for all tiles of
/// columns is found out once.
template <class T>
class PanelRuns {
 public:
  /// `weights`: of the item's first row. `copy`: memory for a tile, if the part copies.
  PanelRuns(const GatherPlan<T>& plan, const Item<T>& item, work::Panel depth, const T* weights, T* copy)
      : plan_(plan), part_(*item.part), copy_(copy), copies_(part_.copies && item.panels.count > 1) {
    const T* start = depth.first == 0 ? part_.start + item.group * part_.rows : nullptr;
    const int64_t end = item.panels.first + item.panels.count, pitch = part_.packed_row(depth);
    for (int64_t i = item.panels.first, next; i < end; i = next) {
      next = i < part_.larger_panels ? std::min(end, part_.larger_panels) : end;
      const work::Panel& panel = part_.panels[i];
      const int64_t row = panel.first - item.rows.first;
      Run& run = runs_[count_++];
      run.rows = panel.count;
      run.to_result = part_.row[panel.first].offset;
      run.to_c = row * plan.c_pitch;
      run.product.panels = next - i;
      run.product.a = weights + row * pitch;
      run.product.a_step = part_.order == simd::RowOrder::kApart ? 1 : panel.count;
      run.product.a_panel = panel.count * pitch;
      run.product.start = start ? start + panel.first : nullptr;
    }
  }

  /// How many runs there are: with one, each tile of columns is computed completely before the next one.
  int count() const { return count_; }

  /// Some tiles of columns, over what they need of the block of the depth: from `skipped` on. The sums go to the result
  /// if there is one given, else to c.
  void multiply(const TileSource<T>& source, int64_t skipped, int64_t depth, const simd::RowsToFetch<T>& beside,
                T* result, T* c) const {
    for (int i = 0; i < count_; ++i) {
      const Run& run = runs_[i];
      if (depth == 0 && !run.product.start) return;
      simd::TileProduct<T> product = run.product;
      product.tiles = source.tiles;
      product.depth = depth;
      product.a += skipped * product.a_step;
      product.b = source.b + (source.packed ? skipped * plan_.tile_columns : 0);
      product.b_row = source.packed ? source.row : source.row + skipped;
      product.b_vector = source.apart;
      product.next = source.next;
      product.c = result ? result + run.to_result : c + run.to_c;
      product.c_stride = result ? plan_.result.inner : plan_.c_pitch;
      product.beside = beside.share(i, count_);
      compute(source, i == 0, run.rows, product);
    }
  }

 private:
  struct Run {
    int64_t rows, to_result, to_c;  // rows of a panel; elements to the first one
    simd::TileProduct<T> product;   // but for B and C
  };

  void compute(const TileSource<T>& source, bool first, int64_t rows, simd::TileProduct<T>& product) const {
    const auto order = static_cast<int>(part_.order);
    const auto multiply_even = source.vectors == 2 ? plan_.tiles.multiply_even[order][rows] : nullptr;
    const bool even = multiply_even && source.row_stride > 0, copies = multiply_even && copies_;
    if (even) {
      product.b += product.depth > 0 ? product.b_row[0] : 0;
      product.b_stride = source.row_stride;
    }
    if (copies && first) return plan_.tiles.multiply_and_copy[order][even][rows](product, copy_);
    if (!copies && !even) return plan_.tiles.multiply[order][source.vectors][rows](product);
    if (copies) product.b = copy_;
    if (copies) product.b_stride = plan_.tile_columns;
    // The tile is in the first-level cache. The next one is not fetched there beside packed ones, which follow it.
    if (source.packed || !first) product.next = 0;
    multiply_even(product);
  }

  const GatherPlan<T>& plan_;
  const GatherPart<T>& part_;
  T* copy_;
  bool copies_;
  int count_ = 0;
  Run runs_[2];
};

/// The sums of an item, for image n: to the result, or to its part's place of scratch.c.
template <class T>
void multiply(const GatherPlan<T>& plan, const Item<T>& item, int64_t n, const GatherScratch<T>& scratch) {
  const GatherPart<T>& part = *item.part;
  const BlockColumns<T> columns = block_columns(plan, part, item.columns, image_of(plan, n, item.group));
  T* const plane = plan.result.plane(n, item.group * plan.result_channels);
  T* const result = plane ? plane + columns.first : nullptr;
  TileLanes<T> packed;
  if (columns.packs)
    packed = tile_lanes(plan, part, {columns.first + columns.in_place, columns.count - columns.in_place});
  PanelWeights<T> weights(plan, part, item.group, item.panels, scratch.weights);
  for (int64_t block = 0; block < part.depth_blocks(); ++block) {
    const work::Panel depth = part.depth_block(block);
    if (columns.packs) pack_tiles(plan, part, depth, packed, columns.image, scratch.tiles);
    const T* b = part.source == ColumnSource::kShared
                     ? part.block_of_tiles(item.group % plan.groups_at_once, block) + columns.first * depth.count
                     : scratch.tiles;
    // A copy lies behind what was packed: less than a vector beside columns in place, so there are two tiles.
    const PanelRuns<T> runs(plan, item, depth, weights.of_block(block),
                            scratch.tiles + (columns.packs ? depth.count * plan.tile_columns : 0));
    const bool together = runs.count() == 1 && !part.taps_first;
    for (int64_t column = 0, end; column < columns.count; column = end) {
      end = column < columns.straight ? columns.straight : column < columns.in_place ? columns.in_place : columns.count;
      const TileSource<T> source = tiles_at(plan, part, columns, depth, b, column, together, end);
      const work::Panel inside = depth_inside(plan, part, depth, columns.first + column, columns.first + end);
      const int64_t again = column < columns.in_place ? 0 : columns.again;
      const work::Panel beside = weights.rows_beside(block, {column, end - column}, columns.count);
      runs.multiply(source, inside.first - depth.first, inside.count, weights.to_fetch(block, beside),
                    column < columns.straight ? result + column : nullptr, scratch.c + part.c_place + column - again);
      weights.pack_ahead(block, beside);
    }
  }
}

constexpr int64_t kPanelsToPack = 8;  // by one thread at a time

/// Packs the weights that are kept.
template <class T>
void share_weights(const GatherPlan<T>& plan, const GatherPart<T>& part, work::Team& team) {
  if (!part.weights || part.depth == 0) return;
  const auto panels = static_cast<int64_t>(part.panels.size());
  const int64_t blocks = part.depth_blocks(), slices = work::panels_of(panels, kPanelsToPack);
  team.share(plan.form.groups * blocks * slices, [&](int64_t i) {
    const int64_t group = i / slices / blocks, block = i / slices % blocks;
    const work::Panel slice = work::panel_of(panels, kPanelsToPack, i % slices), depth = part.depth_block(block);
    pack_weights(plan, part, group, depth, slice,
                 part.block_of_weights(group, block) + part.panels[slice.first].first * part.packed_row(depth));
  });
}

template <class T>
T padding_of(const GatherPlan<T>& plan) {
  if constexpr (kIsCell<T>) return plan.port->padding();
  return T(0);
}

/// Copies what some groups read of image n.
template <class T>
void share_image(const GatherPlan<T>& plan, int64_t n, work::Panel groups, work::Team& team) {
  if (!plan.shape.staged) return;
  team.share(plan.image_channels * groups.count, [&](int64_t i) {
    image::stage_channel(plan.axes, plan.shape, plan.image, plan.staging,
                         static_cast<const T*>(plan.image.plane(n, groups.first * plan.image_channels + i)),
                         plan.staged + i * plan.shape.channel, padding_of(plan));
  });
}

/// Packs their tiles if several items use them.
template <class T>
void share_tiles(const GatherPlan<T>& plan, const GatherPart<T>& part, int64_t n, work::Panel groups,
                 work::Team& team) {
  if (part.source != ColumnSource::kShared) return;
  const int64_t blocks = part.depth_blocks();
  team.share(groups.count * blocks * plan.blocks, [&](int64_t i) {
    const int64_t group = i / plan.blocks / blocks, block = i / plan.blocks % blocks;
    const work::Panel depth = part.depth_block(block), columns = columns_of(plan, part, i % plan.blocks);
    if (columns.count > 0)
      pack_tiles(plan, part, depth, tile_lanes(plan, part, columns), image_of(plan, n, groups.first + group),
                 part.block_of_tiles(group, block) + columns.first * depth.count);
  });
}

/// Item `index` of the parts from `first` on that are stored together.
template <class T>
void compute_item(const GatherPlan<T>& plan, int64_t n, size_t first, int64_t index, const GatherScratch<T>& scratch) {
  PartSums<T> sums[kMostPartsTogether];
  size_t count = 0;
  for (size_t i = first; i < first + plan.parts_together; ++i) {
    const Item<T> item = item_of(plan, plan.parts[i], index);
    if (item.columns.count <= 0 || item.rows.count == 0) continue;
    multiply(plan, item, n, scratch);
    sums[count++] = {item.part, item.rows, item.columns, straight_columns(plan, *item.part, item.columns.count),
                     scratch.c + item.part->c_place};
  }
  if (count > 0) store(plan, n, index / plan.slices / plan.blocks, std::span<const PartSums<T>>(sums, count));
}

/// The results of some groups.
template <class T>
void share_items(const GatherPlan<T>& plan, int64_t n, work::Panel groups, work::Team& team,
                 const GatherScratch<T>& scratch) {
  const int64_t of_group = plan.blocks * plan.slices, items = groups.count * of_group;
  team.share(items, [&](int64_t index) {
    const int64_t item = groups.first * of_group + work::far_apart(index, items, plan.threads);
    for (size_t first = 0; first < plan.parts.size(); first += plan.parts_together)
      compute_item(plan, n, first, item, scratch);
  });
}

/// What every thread does.
template <class T>
void run_thread(const GatherPlan<T>& plan, work::Team& team, int thread) {
  for (const GatherPart<T>& part : plan.parts) share_weights(plan, part, team);
  for (int64_t n = 0; n < plan.form.batch; ++n) {
    if constexpr (kIsCell<T>) plan.port->load(n, team, thread);
    for (work::Panel groups{0, 0}; groups.first < plan.form.groups; groups.first += groups.count) {
      groups.count = std::min(plan.groups_at_once, plan.form.groups - groups.first);
      share_image(plan, n, groups, team);
      for (const GatherPart<T>& part : plan.parts) share_tiles(plan, part, n, groups, team);
      share_items(plan, n, groups, team, plan.scratch[thread]);
    }
  }
}

}  // namespace

template <class T>
void GatherPlan<T>::compute() {
  prepare();
  work::Team::run(threads, [&](work::Team& team, int thread) { run_thread(*this, team, thread); });
}

template void GatherPlan<float>::compute();
template void GatherPlan<double>::compute();
template void GatherPlan<int32_t>::compute();

}  // namespace convict::kernels::gemm

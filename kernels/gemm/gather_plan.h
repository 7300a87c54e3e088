// SPDX-License-Identifier: Apache-2.0
//
// Faces Y and X as products of a matrix with a gathered image:
//
//     C[row][position] = bias + sum over p = (channel, tap) of A[row][p] * image(channel, position, tap)
//
// Rows are the channels of the result, times the phases that read the image at the same places (image/correlation.h).
// Each combination of classes of the three axes is a *part*: one matrix for every group. This file decides how parts
// are computed; gather_product.cpp computes them.
//
// Numbers are float, double, or cells of integers (simd/cells.h), whose sums are int32_t. Bytes become cells, and sums
// become elements of the result, behind a CellPort.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/image/correlation.h"
#include "kernels/image/staged_image.h"
#include "kernels/simd/strided_rows.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"
#include "kernels/work/team.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::gemm {

inline constexpr int64_t kMostTilesOfBlock = 8;
inline constexpr size_t kMostPartsTogether = simd::kMostInterleavedRows;
template <class T>
inline constexpr int64_t kMostColumnsOfBlock = kMostTilesOfBlock * 2 * simd::kMostLanes / sizeof(T);

/// Where one row of C is stored: position p at result[offset + p . step], if begin <= p < end on all axes.
struct ResultRow {
  int64_t offset, channel;  // of a group
  Axes begin, end;
  int64_t turn = 0, lag = 0;  // of an interleaved row: position p of the last axis is element `turn` of step p + lag
};

/// Columns of C whose positions are equally far apart in the result, from position `at` on: those of one row.
struct ColumnRun {
  Axes at;
  int64_t column, length;
};

/// The columns of a run that a row of C stores, and where: at place, place + step of the last axis, and so on.
struct StoredRun {
  int64_t column, length, place;
};

/// Some rows lack the first or the last position. `step`: of the result, from one position to the next.
inline StoredRun stored_run(const ResultRow& row, const ColumnRun& run, const Axes& step) {
  for (int a = 0; a < kAxes - 1; ++a)
    if (run.at[a] < row.begin[a] || run.at[a] >= row.end[a]) return {run.column, 0, row.offset};
  const int64_t first = std::max(run.at[2], row.begin[2]), last = std::min(run.at[2] + run.length, row.end[2]);
  return {run.column + (first - run.at[2]), std::max<int64_t>(0, last - first),
          row.offset + run.at[0] * step[0] + run.at[1] * step[1] + first * step[2]};
}

/// Sums of some rows and columns of a part, of one group of image n: those of row[i] and run[j] are at
/// c[i*c_pitch + run[j].column] and beyond.
struct CellSums {
  int64_t n, group;
  const ResultRow* row;
  int64_t rows, phases;  // row i + phases is the next channel of the same phase
  const ColumnRun* run;
  int64_t runs;
  Axes step;  // of the result
  const int32_t* c;
  int64_t c_pitch;
};

/// What is before and behind a product of cells.
class CellPort {
 public:
  virtual ~CellPort() = default;

  /// Makes image n where the image of the form lies. All members of the team call it.
  virtual void load(int64_t n, work::Team& team, int member) const = 0;
  virtual void store(const CellSums& sums) const = 0;
  /// Around the image.
  virtual int32_t padding() const = 0;
  /// [channel of the result][tap of the form]: what a tap adds to the sums of all positions; nullptr for nothing.
  virtual const int32_t* tap_start() const = 0;
};

template <class T>
inline constexpr bool kIsCell = std::is_same_v<T, int32_t>;

/// Where the columns of a tile of B come from.
enum class ColumnSource {
  kPacked,   // the thread packs the tile
  kShared,   // all tiles are packed first, because several slices use them
  kInPlace,  // the image, where it lies: columns are its places, some of which are no positions
  kByRows    // the image, too, but columns are positions, because rows of these are whole vectors
};

template <class T>
struct GatherPart {
  std::array<const image::AxisClass*, kAxes> axis;
  Axes positions;
  int64_t rows, taps, depth;  // A is rows x depth, depth = channels of the image * taps
  bool dense_taps;            // the weights between two channels lie side by side, in the order of the taps
  bool taps_first;            // depth: row of taps, channel, tap of the last axis; else channel, tap. Tiles leave out
                              // the rows of taps through which all of their positions read padding
  simd::RowOrder order;       // of packed weights
  ColumnSource source;
  bool copies;                // only the first panel of rows reads the image: it copies what it reads for the others
  int vectors;                // of a tile that reads the image; other tiles have two
  bool even;                  // columns are elements of the result, equally far apart
  bool straight;              // whole tiles of C are stored to the result directly
  Axes pitch;                 // column = position . pitch; of the image, too, but for that of planes
  int64_t columns;            // of C
  int64_t tile_columns, tiles_of_c;
  std::vector<work::Panel> panels;  // of rows: the tiles, larger ones first
  int64_t larger_panels;            // if not all are equal
  int64_t c_place;                  // in the sums of a thread, which are those of parts that are stored together

  // Tables and packed weights, in the workspace.
  ResultRow* row;      // [rows], from the first channel of a group
  int64_t* weight;     // [tap][row], from the first weight of a channel of the image in the group; nullptr if taps lie
                       // side by side, and rows as far apart as their channels
  int64_t* image_row;  // [depth + simd::kRowsAhead], from the first position of the first channel
  int64_t* vector_place;  // [vector of columns], from the first position to where it lies in the image, if kByRows
  T* start;               // [group][rows], the bias
  T* weights;             // [group][block of the depth][panel], packed; unused if weights are used only once
  T* tiles;               // of B: [some group][block of the depth][tile of columns][p][column], if kShared

  bool reads_image() const { return source == ColumnSource::kInPlace || source == ColumnSource::kByRows; }
  /// Whether rows of B are as far apart as channels of the image.
  bool has_even_rows() const { return taps == 1; }
  int64_t phases() const {
    return static_cast<int64_t>(axis[0]->phases.size() * axis[1]->phases.size() * axis[2]->phases.size());
  }
  int64_t last_phases() const { return static_cast<int64_t>(axis[2]->phases.size()); }
  int64_t last_taps() const { return static_cast<int64_t>(axis[2]->offsets.size()); }
  /// Where the products of a channel of the image and a tap are in the depth, and back.
  int64_t depth_of(int64_t channel, int64_t tap) const {
    if (!taps_first) return channel * taps + tap;
    return (tap / last_taps() * (depth / taps) + channel) * last_taps() + tap % last_taps();
  }
  int64_t channel_at(int64_t p) const { return taps_first ? p / last_taps() % (depth / taps) : p / taps; }
  int64_t tap_at(int64_t p) const {
    return taps_first ? p / last_taps() / (depth / taps) * last_taps() + p % last_taps() : p % taps;
  }

  work::Panel rows_of(work::Panel some) const {
    if (some.count == 0) return {0, 0};
    const work::Panel &top = panels[some.first], &bottom = panels[some.first + some.count - 1];
    return {top.first, bottom.first + bottom.count - top.first};
  }

  int64_t depth_blocks() const { return std::max<int64_t>(1, work::panels_of(depth, simd::kMostDepth<T>)); }
  work::Panel depth_block(int64_t index) const {
    return depth == 0 ? work::Panel{0, 0} : work::panel_of(depth, simd::kMostDepth<T>, index);
  }
  /// Elements that a row takes of the packed weights of one block, and of all of them.
  int64_t packed_row(work::Panel block) const {
    return order == simd::RowOrder::kApart ? simd::kRowPitch<T> : block.count;
  }
  int64_t packed_rows() const { return order == simd::RowOrder::kApart ? depth_blocks() * simd::kRowPitch<T> : depth; }
  /// Where the packed weights of a block of the depth begin.
  T* block_of_weights(int64_t group, int64_t index) const {
    const int64_t before = order == simd::RowOrder::kApart ? index * simd::kRowPitch<T> : depth_block(index).first;
    return weights + rows * (group * packed_rows() + before);
  }

  /// The position of a column. If it lies between two rows of positions, its last coordinate is not below positions[2].
  Axes position_of(int64_t column) const;
  /// Where the shared tiles of a block of the depth begin, for the place of a group.
  T* block_of_tiles(int64_t group, int64_t index) const {
    return tiles + tiles_of_c * (group * depth + depth_block(index).first) * tile_columns;
  }
};

/// The memory of one thread, for an item.
template <class T>
struct GatherScratch {
  T* c;        // for parts that are stored together: [row][column of the block], rows c_pitch apart
  T* weights;  // of a block of the depth, or of two if rows are packed ahead, as in GatherPart
  T* tiles;    // of B: [tile of columns][p][column], of a block of the depth
};

/// What is to be computed, and how.
template <class T>
struct GatherPlan {
  /// Precondition: has_products(form), and the face is X or Y. Reads no data. `port`: for cells, whose result has
  /// elements of another type; it outlives the plan.
  explicit GatherPlan(const Trilinear<T>& form, const CellPort* port = nullptr);
  GatherPlan(const GatherPlan&) = delete;  // parts point into axes

  /// Computes the face of form completely, bias and beta included: packs weights, stages images, multiplies tile by
  /// tile, stores. Throws std::bad_alloc.
  void compute();
  double products() const;  // includes columns between positions
  std::string text() const;

  Trilinear<T> form;
  const CellPort* port;
  Operand<T> image, result;
  int64_t image_channels, result_channels;  // of one group
  image::Correlation axes;
  image::ImageShape shape;
  simd::Staging<T> staging;
  simd::SpreadRow<T> spread;
  simd::InterleaveRows<T> interleave;
  const simd::Tiles<T>& tiles;
  int64_t tile_columns;
  Axes step;  // of the result, from one position to the next
  std::vector<GatherPart<T>> parts;
  bool interleaved;       // results of all phases of the last axis follow each other, and are stored together
  size_t parts_together;  // which differ in the class of the last axis only; 1 if not interleaved
  int threads;
  int64_t groups_at_once;  // for which the image is staged; group g takes place g % groups_at_once
  // An item is what one thread does at a time: a block of columns by a slice of the panels, of every part. Positions of
  // different parts alternate in memory, so an item that has all parts uses cache lines of the result soon again.
  int64_t blocks, slices;  // of a group
  bool used_once;          // weights are packed by the thread that uses them: there is one block of columns, one image
  int64_t c_pitch;
  work::Workspace workspace;
  T* staged = nullptr;                    // [channel of some groups]
  int64_t* packed_row = nullptr;          // [kMostDepth], of a packed tile of B
  std::vector<GatherScratch<T>> scratch;  // by thread

 private:
  void prepare();
  void add_part(const image::AxisClass& class0, const image::AxisClass& class1, const image::AxisClass& class2);
  bool leaves_out_taps(const GatherPart<T>& part) const;
  void choose_columns(GatherPart<T>& part) const;
  bool can_interleave() const;
  void choose_groups();
  void choose_items();
  void carve();
  void fill_tables(GatherPart<T>& part) const;
  void add_tap_start(GatherPart<T>& part) const;
};

}  // namespace convict::kernels::gemm

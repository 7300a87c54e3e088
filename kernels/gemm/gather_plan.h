// SPDX-License-Identifier: Apache-2.0
//
// Faces Y and X as products of a matrix with a gathered image:
//
//     C[row][position] = bias + sum over p = (channel, tap) of A[row][p] * image(channel, position, tap)
//
// Rows are the channels of the result, times the phases that read the image at the same places (image/correlation.h).
// Each combination of classes of the three axes is a *part*: one matrix for every group. This file decides how parts
// are computed; gather_product.cpp computes them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/image/correlation.h"
#include "kernels/image/staged_image.h"
#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::gemm {

inline constexpr int64_t kMostTilesOfBlock = 8;

/// Where one row of C is stored: position p at result[offset + p . step], if begin <= p < end on all axes.
struct ResultRow {
  int64_t offset;
  Axes begin, end;
};

template <class T>
struct GatherPart {
  std::array<const image::AxisClass*, kAxes> axis;
  Axes positions;
  int64_t rows, taps, depth;  // A is rows x depth, depth = channels of the image * taps
  bool dense_taps;            // the weights between two channels lie side by side, in the order of the taps
  simd::RowOrder order;       // of packed weights
  bool in_place;              // the image is read where it lies: columns are its places, some of which are no positions
  int vectors;                // of a tile that reads in place; other tiles have two
  bool straight;              // whole tiles of C are stored to the result directly
  Axes pitch;                 // column = position . pitch; of the image, too, but for that of planes
  int64_t columns;            // of C
  int64_t tile_columns, tiles_of_c;
  bool shared;                      // tiles of B are packed first, because several slices use them
  std::vector<work::Panel> panels;  // of rows: the tiles

  // Tables and packed weights, in the workspace.
  ResultRow* row;      // [rows], from the first channel of a group
  int64_t* weight;     // [tap][row], from the first weight of a channel of the image in the group; nullptr if taps lie
                       // side by side, and rows as far apart as their channels
  int64_t* image_row;  // [depth], from the first position of the first channel
  T* start;            // [group][rows], the bias
  T* weights;          // [group][block of the depth][panel], packed; unused if weights are used only once
  T* tiles;            // of B: [some group][block of the depth][tile of columns][p][column], if shared

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
  T* c;        // [row][column of the block], rows c_pitch apart
  T* weights;  // of a block of the depth, as in GatherPart
  T* tiles;    // of B: [tile of columns][p][column], of a block of the depth
};

/// What is to be computed, and how.
template <class T>
struct GatherPlan {
  /// Precondition: has_products(form), and the face is X or Y. Reads no data.
  explicit GatherPlan(const Trilinear<T>& form);
  GatherPlan(const GatherPlan&) = delete;  // parts point into axes

  /// Allocates, and fills the tables. Throws std::bad_alloc.
  void prepare();
  double products() const;  // includes columns between positions
  std::string text() const;

  Trilinear<T> form;
  Operand<T> image, result;
  int64_t image_channels, result_channels;  // of one group
  image::Correlation axes;
  image::ImageShape shape;
  simd::StageRow<T> stage;
  simd::SpreadRow<T> spread;
  const simd::Tiles<T>& tiles;
  int64_t tile_columns;
  Axes step;  // of the result, from one position to the next
  std::vector<GatherPart<T>> parts;
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
  void add_part(const image::AxisClass& class0, const image::AxisClass& class1, const image::AxisClass& class2);
  void choose_columns(GatherPart<T>& part) const;
  void choose_groups();
  void choose_items();
  void carve();
  void fill_tables(GatherPart<T>& part) const;
};

/// Computes the face of plan.form completely, bias and beta included: packs weights, stages images, multiplies tile by
/// tile, stores. Throws std::bad_alloc.
template <class T>
void gather_product(GatherPlan<T>& plan);

}  // namespace convict::kernels::gemm

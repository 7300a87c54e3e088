// SPDX-License-Identifier: Apache-2.0
//
// Face W, the gradient of the weights, as a matrix product whose depth is the positions of Y:
//
//     W[k][column] = sum over images and positions of Y[k][position] * X[position, column],  column = (c, tap)
//
// Both operands lie in memory position after position, as *lines*: a line of X for every column (the image seen through
// a tap), a line of Y for every k. The lines of one operand become the lanes of vectors: a panel of them is transposed,
// a block of positions at a time that fits the first-level cache, and is used at once. The lines of the other operand,
// the *rows*, are read where they lie, one number at a time. If these do not fit the second-level cache, several panels
// are transposed before they are read. This file decides which operand is which, and computes the product.
//
// A lane has whole sums, not parts of one. If there are too few weights for all threads, positions are divided into
// `splits`, which are summed apart and then added in order. The splits follow from the problem and plan.threads. So the
// same number of threads gives the same bits, and another number may differ in the last bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/image/correlation.h"
#include "kernels/image/staged_image.h"
#include "kernels/simd/tiles.h"
#include "kernels/simd/transpose_lines.h"
#include "kernels/work/panel.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::gemm {

/// The lines of an operand, of one group and image. Element (line, position) lies at place[line] + offset of the
/// position's run + number in the run * step. The sum of two lines belongs at weight[line] + weight[other line] of W.
struct OperandLines {
  int64_t count, step;
  int64_t *place = nullptr, *weight = nullptr;  // [count]
  simd::PositionRun* run = nullptr;             // of the positions, in their order
};

/// Positions that are multiplied at a time: some runs of either operand.
struct PositionBlock {
  work::Panel row_runs, lane_runs;
};

/// What one thread does at a time: some rows by some vectors of lanes, over all positions of an image. These vectors
/// are cut into panels, one tile wide each.
struct WeightItem {
  int64_t group;
  work::Panel vectors, rows;
};

/// Vectors of an item that are one tile wide.
template <class T>
struct LanePanel {
  int64_t vectors, first_lane;  // of the item
  T* transposed;                // [position of a block][lane]
  simd::LineSource<T> source;
};

/// The memory of one thread.
template <class T>
struct WeightScratch {
  T* staged;            // X, of one group; if threads do not have groups of their own, the same for all
  T* transposed;        // [panel][position of a block][lane]
  T* sums;              // [row][lane], of an item
  LanePanel<T>* panel;  // of an item
};

/// Expected cycles of one core for a group of an image, with either kind of lanes.
struct WeightCycles {
  double lanes_are_channels, lanes_are_columns;
};

/// Reads only the geometry. `lanes`: of a vector.
template <class T>
WeightCycles weight_cycles(const Trilinear<T>& form, int64_t lanes);

template <class T>
struct WeightPlan {
  /// Precondition: has_products(form), and the face is W. Reads no data.
  explicit WeightPlan(const Trilinear<T>& form);
  WeightPlan(const WeightPlan&) = delete;

  /// Computes the face of form completely, beta included, but not diff_bias. Throws std::bad_alloc.
  void compute();
  double products() const;  // includes unused lanes
  std::string text() const;

  int64_t vectors() const { return work::panels_of(lanes().count, tiles.lanes); }
  int64_t columns_of_items() const { return work::panels_of(vectors(), vectors_of_item); }
  int64_t items() const { return columns_of_items() * slices; }  // of a group
  WeightItem item(int64_t group, int64_t index) const;
  work::Panel blocks_of_split(int64_t split) const { return work::share_of(blocks, splits, split); }
  /// The most sums that an item has.
  int64_t sums_of_item() const {
    return work::panels_of(rows().count, slices) * std::min(vectors(), vectors_of_item) * tiles.lanes;
  }
  /// Whether sums are kept for the next image, and stored after the last one; else each image is added to W.
  bool keeps_sums() const { return form.batch > 1 && !lanes_are_columns && splits == 1; }
  const OperandLines& rows() const { return lanes_are_columns ? y_lines : x_lines; }
  const OperandLines& lanes() const { return lanes_are_columns ? x_lines : y_lines; }

  Trilinear<T> form;
  const simd::Tiles<T>& tiles;
  int64_t block_positions;  // the most of a block: transposed, they fit the first-level cache
  simd::Staging<T> staging;
  simd::TransposeLines<T> transpose;
  image::Correlation axes;  // of the image as taps with a stride of 1 read it
  OperandLines x_lines, y_lines;
  bool lanes_are_columns;
  bool dense_columns;  // of a row of W: they lie side by side
  bool straight;       // whole vectors of sums are kept in W itself
  image::ImageShape shape;
  bool by_group;            // threads divide the groups; else they divide the items of one group after another
  int64_t vectors_of_item;  // at most
  int64_t slices;           // that the rows are divided into
  int64_t splits;           // pieces of the positions, each with sums of its own, which are added in the end
  int threads;
  work::Workspace workspace;
  // Tables and copies, in the workspace.
  T* sums = nullptr;               // if kept for the next image: by item; of splits: by split and item
  PositionBlock* block = nullptr;  // [blocks]
  int64_t blocks = 0;
  std::vector<WeightScratch<T>> scratch;  // by thread

 private:
  void prepare();
  void choose_lanes();
  bool rows_are_far() const;
  void divide();
  void carve();
  void fill_lines();
  void fill_blocks();
};

}  // namespace convict::kernels::gemm

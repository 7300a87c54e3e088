// SPDX-License-Identifier: Apache-2.0
//
// Face W as a product whose depth are the positions of Y:
//
//     W[k][column] = sum over images and positions of Y[k][position] * X[position, column],  column = (c, tap)
//
// Both operands lie in memory position after position: as *lines*, a line of X for every column (the image seen through
// a tap), a line of Y for every k. The lines of one operand become the lanes of vectors: a panel of them is turned, a
// block of positions at a time that fits the first-level cache, and used at once. The lines of the other one, the
// *rows*, are read where they lie, a number at a time. No sum is spread over the lanes of a vector; it is split between
// threads, by positions, only where there are too few weights for all of them, and then always in the same way. This
// file decides which is which; weight_product.cpp does it.
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
/// position's run + number in the run * step; the sum of two lines belongs at weight[line] + weight[other line] of W.
struct OperandLines {
  int64_t count, step;
  int64_t *place = nullptr, *weight = nullptr;  // [count]
  simd::PositionRun* run = nullptr;             // of the positions, in their order
};

/// Positions that are multiplied at a time: those of some runs of either operand.
struct PositionBlock {
  work::Panel row_runs, lane_runs;
};

/// What one thread does at a time, over all positions of an image: some rows, and some vectors of lanes.
struct WeightItem {
  int64_t group;
  work::Panel vectors, rows;
};

/// The memory of one thread.
template <class T>
struct WeightScratch {
  T* staged;      // X, of one group; if threads do not have groups of their own, the same for all
  T* transposed;  // [position of a block][lane]
  T* sums;        // [row][lane], of an item
};

/// Expected cycles of one core for a group of an image, roughly, with either kind of lanes.
struct WeightCycles {
  double lanes_are_channels, lanes_are_columns;
};

/// Only the geometry is looked at. `lanes`: of a vector.
template <class T>
WeightCycles weight_cycles(const Trilinear<T>& form, int64_t lanes);

template <class T>
struct WeightPlan {
  static constexpr int64_t kPositions = 512 / sizeof(T);  // of a block: turned, they fit the first-level cache

  /// Precondition: has_products(form), and the face is W. Data is not looked at.
  explicit WeightPlan(const Trilinear<T>& form);
  WeightPlan(const WeightPlan&) = delete;

  /// Allocates, and fills the tables. Throws std::bad_alloc.
  void prepare();
  double products() const;  // those of unused lanes included
  std::string text() const;

  int64_t vectors() const { return work::panels_of(lanes().count, tiles.lanes); }
  int64_t panels() const { return work::panels_of(vectors(), tiles.most_vectors); }
  int64_t items() const { return panels() * slices; }  // of a group
  WeightItem item(int64_t group, int64_t index) const;
  work::Panel blocks_of_split(int64_t split) const { return work::share_of(blocks, splits, split); }
  /// The most sums that an item has.
  int64_t sums_of_item() const {
    return work::panels_of(rows().count, slices) * std::min(vectors(), tiles.most_vectors) * tiles.lanes;
  }
  /// Whether sums wait for those of the next image; else they are added to W.
  bool keeps_sums() const { return form.batch > 1 && !lanes_are_columns && splits == 1; }
  const OperandLines& rows() const { return lanes_are_columns ? y_lines : x_lines; }
  const OperandLines& lanes() const { return lanes_are_columns ? x_lines : y_lines; }

  Trilinear<T> form;
  const simd::Tiles<T>& tiles;
  simd::StageRow<T> stage;
  simd::TransposeLines<T> transpose;
  image::Correlation axes;  // of the image as the taps of a single position after another would read it
  OperandLines x_lines, y_lines;
  bool lanes_are_columns;
  bool dense_columns;  // of a row of W: they lie side by side
  bool straight;       // the columns of a row of W lie side by side: whole vectors of their sums are kept there at once
  image::ImageShape shape;
  bool by_group;   // groups are divided among the threads, else the items of one after another
  int64_t slices;  // that the rows are divided into
  int64_t splits;  // that the positions are divided into, each with sums of its own, which are added up in the end
  int threads;
  work::Workspace workspace;
  // Tables and copies, in the workspace.
  T* sums = nullptr;               // of several images and not straight: by item; of splits: by split and item
  PositionBlock* block = nullptr;  // [blocks]
  int64_t blocks = 0;
  std::vector<WeightScratch<T>> scratch;  // by thread

 private:
  void choose_lanes();
  void divide();
  void carve();
  void fill_lines();
  void fill_blocks();
};

}  // namespace convict::kernels::gemm

// SPDX-License-Identifier: Apache-2.0
//
// Face W as a product whose depth are the positions of Y:
//
//     W[k][column] = sum over images and positions of Y[k][position] * X[position, column],  column = (c, tap)
//
// Y is transposed into panels of a few vectors of k for every position, so that a vector holds channels and no sum is
// spread over its lanes; X is read where it lies, staged (staged_image.h), one number for every column of a tile. Sums
// stay in registers over a block of positions. No sum is split between threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/shared/correlation.h"
#include "kernels/shared/panel.h"
#include "kernels/shared/staged_image.h"
#include "kernels/shared/tiles.h"
#include "kernels/shared/workspace.h"

namespace convict {

template <class T>
struct WeightPlan {
  static constexpr int64_t kPositions = 512 / sizeof(T);  // of a block: its vectors of Y fit the first-level cache

  /// Precondition: has_products(form), and the face is W. Data is not looked at.
  explicit WeightPlan(const Trilinear<T>& form);
  WeightPlan(const WeightPlan&) = delete;

  /// Allocates, and fills the tables. Throws std::bad_alloc.
  void prepare();
  double products() const;  // those of unused lanes included
  std::string text() const;

  /// Panel `index` of the vectors of Y channels of a group.
  Panel vectors(int64_t index) const { return panel_of(all_vectors, tiles.most_vectors, index); }
  /// Where a thread adds up a slice of the columns of a panel.
  T* sums_of(int thread, int64_t group, int64_t panel, Panel slice_of_columns) const;
  int64_t panels() const { return panels_of(all_vectors, tiles.most_vectors); }

  Trilinear<T> form;
  Correlation axes;
  ImageShape shape;
  StageRow<T> stage;
  const Tiles<T>& tiles;
  int64_t positions, taps, columns;  // of one image, of one channel, of one group
  int64_t all_vectors;               // that the Y channels of a group take
  int64_t slice;                     // columns that one thread does at a time
  int threads;
  Workspace workspace;
  T* staged = nullptr;               // X: [channel of all groups]
  T* transposed = nullptr;           // Y: by group and panel: [position][lane]
  T* sums = nullptr;                 // by group and panel: [column][lane]; of one image, by thread instead
  int64_t* column_place = nullptr;   // [columns], from the first position of a group's first channel
  int64_t* column_weight = nullptr;  // [columns], in W
  std::vector<Run> runs;             // rows of positions, none longer than kPositions

 private:
  void carve();
};

/// Computes the face of plan.form completely, beta included, but not diff_bias. Throws std::bad_alloc.
template <class T>
void weight_product(WeightPlan<T>& plan);

}  // namespace convict

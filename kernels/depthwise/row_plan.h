// SPDX-License-Identifier: Apache-2.0
//
// Convolution plane by plane: every result channel is a sum of correlations of single image channels, which
// row_kernels.h computes. This file arranges the positions and taps of all faces for that, and calls them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/trilinear.h"
#include "kernels/depthwise/row_kernels.h"
#include "kernels/image/correlation.h"
#include "kernels/image/staged_image.h"
#include "kernels/simd/strided_rows.h"
#include "kernels/work/workspace.h"

namespace convict::kernels::depthwise {

/// Taps of axis 1 that read image rows following each other, at one tap of axis 0.
struct ColumnRun {
  int64_t plane_tap;     // of axis 0
  int64_t first, count;  // in RowPart::rows; at most kMostRun
  int64_t place;         // elements from a position to what it reads through the first of them
};

/// One combination of classes of the axes (image/correlation.h).
struct RowPart {
  std::array<const image::AxisClass*, kAxes> axis;
  std::vector<int64_t> rows;          // taps of axis 1, sorted by what they read
  std::vector<int64_t> column_place;  // of the taps of axis 2
  std::vector<ColumnRun> runs;

  int64_t taps() const {
    return static_cast<int64_t>(axis[0]->offsets.size() * axis[1]->offsets.size() * axis[2]->offsets.size());
  }
};

template <class T>
struct RowPlan {
  /// Precondition: has_products(form). Reads no data.
  explicit RowPlan(const Trilinear<T>& form);
  RowPlan(const RowPlan&) = delete;  // parts point into axes

  /// Computes the face of form completely, beta and bias included, but not diff_bias. Throws std::bad_alloc.
  void compute();
  double products() const;
  std::string text() const;

  Trilinear<T> form;
  Operand<T> image, result;                 // of faces Y and X; of W the image is X
  int64_t image_channels, result_channels;  // of one group
  image::Correlation axes;
  image::ImageShape shape;
  simd::Staging<T> staging;
  simd::InterleaveRows<T> interleave;
  const RowKernels<T>& kernels;
  Axes step;  // of the result, from one position to the next
  std::vector<RowPart> parts;
  int64_t row_lanes = 0;  // of a row of positions, in whole vectors
  bool copies_y;          // W: rows of Y are copied to whole vectors
  bool interleaves;       // X: phases of the last axis, whose results take turns, are stored together
  int threads;
  work::Workspace workspace;

  /// The memory of one thread.
  struct Scratch {
    T* staged;   // [channel] of one image and group
    T* weights;  // Y, X: [image channel][run][column][tap] for one result channel; if they are interleaved, of each
                 // phase of the last axis. W: [k][c][run][column][tap]
    T* sums;     // Y, X: of a tile of rows. W: like the weights, [lane] each
    T* phases;   // X, if they are interleaved: the results of a tile of rows, [phase][row][row_lanes]
    T* y;        // W, if it is copied: one plane of Y, [row of positions][row_lanes]
  };
  std::vector<Scratch> scratch;

 private:
  void carve();
};

}  // namespace convict::kernels::depthwise

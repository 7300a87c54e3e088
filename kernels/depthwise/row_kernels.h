// SPDX-License-Identifier: Apache-2.0
//
// Inner loops for convolutions with few channels to sum over, with positions of a row in the lanes of vectors. They are
// fast because a row of the image, once loaded, is used for all result rows whose windows it is in. A *column run* is a
// run of taps in one column of the window whose rows follow each other in the image. Compiled once for every
// instruction set.
#pragma once

#include <cstdint>

namespace convict::kernels::depthwise {

inline constexpr int kMostSlideRows = 14;
inline constexpr int kMostRun = 7;
inline constexpr int kMostDotColumns = 8;

/// Operands of RowKernels::slide.
template <class T>
struct SlideOperands {
  // Taps: all columns of the window that have the same column run, `run` weights each.
  int64_t columns;
  const int64_t* column_place;  // [columns]
  const T* weights;             // [columns][run]
  const T* image;               // what row 0, position 0 reads through the first tap of a run with place 0
  int64_t pitch;                // elements from one row of the image to the next
  // Positions: `vectors` vectors of each row, vector v from position min(v*lanes, last_vector) on.
  int64_t vectors, last_vector;
  // The sums so far, [vector][row][lane]; or nullptr, and sums begin at `start`.
  const T* before;
  T start;
  // Where sums are stored: positions of a result whose rows are after_row apart, or, if that is 0, [vector][row][lane].
  T* after;
  int64_t after_row;
};

/// Operands of RowKernels::dot: some rows of y, and what they meet in the image through a column run of some columns.
template <class T>
struct DotOperands {
  int64_t rows, width;          // of y
  const T* x;                   // what row 0, position 0 reads through the first tap of a run with place 0
  int64_t x_pitch;              // elements from one row of the image to the next
  const int64_t* column_place;  // [columns]
  const T* y;
  int64_t y_pitch;
  bool add;  // to the sums so far; else they start at 0
  T* sums;   // [column][tap][lane]
  T* total;  // [column][tap]; or nullptr, and there will be more
};

template <class T>
struct RowKernels {
  const char* isa;
  int64_t lanes;
  int64_t most_rows;  // of `slide`

  /// Adds the products of `run` taps of some columns to the sums of `rows` rows. Indexed by rows and run, from 1.
  using Slide = void (*)(const SlideOperands<T>& operands);
  Slide slide[kMostSlideRows + 1][kMostRun + 1];

  /// sums[c][t] (+)= sum over rows i and positions j < width of y[i*y_pitch + j] * x[(i + t)*x_pitch + column_place[c]
  /// + j] for t < run, in as many parts as there are lanes. With `total`, these are added, and stored there instead.
  /// What is beyond the width is not part of the sums. It is read only if the width is less than a vector. Indexed by
  /// run and columns, from 1.
  using Dot = void (*)(const DotOperands<T>& operands);
  Dot dot[kMostRun + 1][kMostDotColumns + 1];
  int64_t most_columns[kMostRun + 1];  // of `dot`, by run
};

template <class T>
const RowKernels<T>& row_kernels();

}  // namespace convict::kernels::depthwise

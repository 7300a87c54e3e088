// SPDX-License-Identifier: Apache-2.0
//
// Correlation of many planes at once, for depthwise convolutions of small images: a vector holds one position of as
// many channels as it has lanes, so that no lane is wasted on short rows.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::depthwise {

inline constexpr int kMostLanePositions = 8;

/// One row of the window, where it meets a row of the image.
template <class T>
struct RowPair {
  const T* image;    // [place][lane], what position 0 reads through a tap with place 0
  const T* weights;  // [tap of the whole window's row][lane]
};

/// Operands of ChannelKernels::correlate.
template <class T>
struct ChannelOperands {
  int64_t rows;
  const RowPair<T>* row;  // [rows]
  int64_t columns;        // taps of a row
  const int64_t* place;   // [columns], elements from a position to what it reads
  const int64_t* weight;  // [columns], elements from the first weight of a row
  const T* start;         // [lane]
  T* after;               // sums of position i go to after + i*after_step
  int64_t after_step;
};

template <class T>
struct ChannelKernels {
  const char* isa;
  int64_t lanes;

  /// after[i] = start + sum over rows and columns of weights[column] * image[i + column], lane by lane, for so many
  /// positions. Indexed by them, from 1.
  using Correlate = void (*)(const ChannelOperands<T>& operands);
  Correlate correlate[kMostLanePositions + 1];
};

template <class T>
const ChannelKernels<T>& channel_kernels();
template <>
const ChannelKernels<float>& channel_kernels<float>();
template <>
const ChannelKernels<double>& channel_kernels<double>();

}  // namespace convict::kernels::depthwise

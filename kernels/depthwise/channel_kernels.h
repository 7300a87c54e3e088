// SPDX-License-Identifier: Apache-2.0
//
// Inner loops for depthwise convolutions of small images, with channels in the lanes of vectors: a vector holds one
// position of as many channels as it has lanes. So short rows waste no lanes. Compiled once for every instruction set.
#pragma once

#include <cstdint>

namespace convict::kernels::depthwise {

inline constexpr int kMostLanePositions = 8;

/// A row of the window and the row of the image that it is multiplied with.
template <class T>
struct RowPair {
  const T* image;    // [place][lane], from what position 0 reads through a tap with place 0 on
  const T* weights;  // [tap][lane], of the whole row of the window
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

  /// after[i] = start + sum over rows and columns of weights[column] * image[i + column], lane by lane. Indexed by the
  /// number of positions i, from 1.
  using Correlate = void (*)(const ChannelOperands<T>& operands);
  Correlate correlate[kMostLanePositions + 1];
};

template <class T>
const ChannelKernels<T>& channel_kernels();

}  // namespace convict::kernels::depthwise

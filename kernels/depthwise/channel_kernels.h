// SPDX-License-Identifier: Apache-2.0
//
// Inner loops for depthwise convolutions of small images, with channels in the lanes of vectors: a vector holds one
// position of as many channels as it has lanes. So short rows waste no lanes. Compiled once for every instruction set.
#pragma once

#include <cstdint>

namespace convict::kernels::depthwise {

inline constexpr int kMostLanePositions = 8;

/// A row of the window and the row of the image that it is multiplied with. Of one of them positions use different
/// vectors, which is said to move; of the other one they use the same.
template <class T>
struct RowPair {
  const T *moving, *fixed;  // [...][lane]
};

/// Operands of ChannelKernels::correlate.
template <class T>
struct ChannelOperands {
  int64_t rows;
  const RowPair<T>* row;  // [rows]
  int64_t columns;        // products of a position and a row
  const int64_t* moving;  // [columns], elements from the beginning of a row to what position 0 uses
  const int64_t* fixed;   // [columns], the same for all positions
  int64_t step;           // elements of what moves, from one position to the next
  const T* start;         // [lane]
  T* after;               // sums of position i go to after + i*after_step
  int64_t after_step;
};

template <class T>
struct ChannelKernels {
  const char* isa;
  int64_t lanes;

  /// after[i] = start + sum over rows and columns of fixed[column] * moving[column + i*step], lane by lane. Indexed by
  /// the number of positions i, from 1.
  using Correlate = void (*)(const ChannelOperands<T>& operands);
  Correlate correlate[kMostLanePositions + 1];
};

template <class T>
const ChannelKernels<T>& channel_kernels();

}  // namespace convict::kernels::depthwise

// SPDX-License-Identifier: Apache-2.0
//
// Transposition of lines into lanes. In memory an operand lies in lines, one position after another. In the copy, the
// lanes of a vector are elements of different lines at the same position:
//
//     line 0: a0 a1 a2 ...
//     line 1: b0 b1 b2 ...      ->      a0 b0 c0 ... | a1 b1 c1 ... | a2 b2 c2 ...
//     line 2: c0 c1 c2 ...
#pragma once

#include <cstdint>

#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"

namespace convict::kernels::simd {

inline constexpr int64_t kMostTransposed = kMostTileVectors * kMostLanes;  // bytes of a position

/// Where the elements are: lane l, position p of a run is at place[l] + offset of the run + p*step.
template <class T>
struct LineSource {
  /// Lanes that lie side by side.
  struct Piece {
    int64_t lane, place, length;
  };

  const int64_t* place;
  int64_t lanes;  // a multiple of Tiles::lanes
  int64_t step;
  bool slack;  // a vector may be read from any element on
  int64_t pieces = 0;
  Piece piece[kMostTransposed / sizeof(T)];

  LineSource(const int64_t* places, int64_t count, int64_t position_step, bool readable)
      : place(places), lanes(count), step(position_step), slack(readable) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (lane == 0 || place[lane] != place[lane - 1] + 1) piece[pieces++] = {lane, place[lane], 0};
      ++piece[pieces - 1].length;
    }
  }
};

/// to[q*lanes + l] = element (l, q) of `from`, q = 0, 1, ... counting the positions of all runs.
template <class T>
using TransposeLines = void (*)(const LineSource<T>& source, const T* from, int64_t runs, const PositionRun* run,
                                T* to);

template <class T>
const TransposeLines<T>& transpose_lines();

}  // namespace convict::kernels::simd

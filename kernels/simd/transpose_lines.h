// SPDX-License-Identifier: Apache-2.0
//
// Turning an operand of a product: what lies in lines, one position after another, is copied so that the lanes of a
// vector are elements of different lines at the same position.
#pragma once

#include <cstdint>

#include "kernels/simd/tiles.h"
#include "kernels/work/panel.h"

namespace convict::kernels::simd {

inline constexpr int64_t kMostTransposed = kMostTileVectors * kMostLanes;  // bytes of a position

/// Which elements are turned: lane l, position p of a run is at place[l] + offset of the run + p*step.
template <class T>
struct LineSource {
  /// Lanes that lie side by side.
  struct Piece {
    int64_t lane, place, length;
  };

  const int64_t* place;
  int64_t lanes;  // a multiple of Tiles::lanes
  int64_t step;
  bool slack;  // less than a vector after any element may be read, too
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
TransposeLines<T> transpose_lines();
template <>
TransposeLines<float> transpose_lines<float>();
template <>
TransposeLines<double> transpose_lines<double>();

}  // namespace convict::kernels::simd

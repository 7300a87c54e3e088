// SPDX-License-Identifier: Apache-2.0
//
// Copies between rows whose elements are `step` apart and dense rows: the inner loops of staging an image (staging)
// and of storing a result by phases: one of them (spread_row), or those of a strided axis together (interleave_rows).
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::simd {

/// Where rows come from.
template <class T>
struct RowSource {
  const T* first;              // the element of place 0, which need not exist
  int64_t step;                // elements from one place to the next
  int64_t begin, end;          // places inside; the others are padding
  bool gaps_readable;          // whether the elements between those of two places may be read
  int64_t rows = 1, next = 0;  // elements from one row to the next
  T padding = 0;
  int64_t done_begin = 0, done_end = 0;  // places that have been copied already
};

/// Some places of rows that hold several runs in turn: place j of run r is first[j*runs + r].
template <class T>
struct RunSource {
  const T* first;
  int64_t runs;
  int64_t begin, end;  // places inside, of all runs
  int64_t rows, next;  // as in RowSource
};

struct Places {
  int64_t begin, end;
};

/// The inner loops of staging.
template <class T>
struct Staging {
  /// to[i*length + j] = j inside ? first[i*next + j*step] : padding, for i < rows and 0 <= j < length, but for places
  /// that have been copied.
  void (*row)(const RowSource<T>& source, int64_t length, T* to);
  /// to[r*apart + i*length + j] = first[i*next + j*runs + r] for some of the places inside, which it returns.
  Places (*runs)(const RunSource<T>& source, int64_t length, T* to, int64_t apart);
};

/// to[j*step] = from[j] for j < count. Nothing between these is written.
template <class T>
using SpreadRow = void (*)(const T* from, int64_t count, int64_t step, T* to);

template <class T>
const Staging<T>& staging();

template <class T>
const SpreadRow<T>& spread_row();

inline constexpr int64_t kMostInterleavedRows = 4;

/// Elements of rows that follow each other: element j of row i is from[i][first[i] + j], and goes to
/// to[place + j*rows + i].
struct InterleavedPiece {
  int64_t first[kMostInterleavedRows];
  int64_t count, place;
};

/// So many pieces of the same rows. Precondition: 2 <= rows <= kMostInterleavedRows.
template <class T>
using InterleaveRows = void (*)(const T* const* from, int64_t rows, const InterleavedPiece* pieces, int64_t count,
                                T* to);

template <class T>
const InterleaveRows<T>& interleave_rows();

}  // namespace convict::kernels::simd

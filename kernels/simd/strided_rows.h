// SPDX-License-Identifier: Apache-2.0
//
// Copies between rows whose elements are `step` apart and dense rows: the inner loops of staging an image (stage_row)
// and of storing a result by phases (spread_row).
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
};

/// to[i*length + j] = j inside ? first[i*next + j*step] : padding, for i < rows and 0 <= j < length.
template <class T>
using StageRow = void (*)(const RowSource<T>& source, int64_t length, T* to);

/// to[j*step] = from[j] for j < count. Nothing between these is written.
template <class T>
using SpreadRow = void (*)(const T* from, int64_t count, int64_t step, T* to);

template <class T>
const StageRow<T>& stage_row();

template <class T>
const SpreadRow<T>& spread_row();

}  // namespace convict::kernels::simd

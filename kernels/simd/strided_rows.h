// SPDX-License-Identifier: Apache-2.0
//
// Copies of rows with steps between their elements: the part of staging an image that has to be fast, and of storing a
// result by phases.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::simd {

/// Where rows come from.
template <class T>
struct RowSource {
  const T* first;              // what place 0 would hold, if it is inside
  int64_t step;                // elements from one place to the next
  int64_t begin, end;          // places inside; the others are zero
  bool gaps_readable;          // whether the elements between those of two places may be read
  int64_t rows = 1, next = 0;  // elements from one row to the next
};

/// to[i*length + j] = j inside ? first[i*next + j*step] : 0, for i < rows and 0 <= j < length.
template <class T>
using StageRow = void (*)(const RowSource<T>& source, int64_t length, T* to);

/// to[j*step] = from[j] for j < count; nothing between is written.
template <class T>
using SpreadRow = void (*)(const T* from, int64_t count, int64_t step, T* to);

template <class T>
StageRow<T> stage_row();
template <>
StageRow<float> stage_row<float>();
template <>
StageRow<double> stage_row<double>();

template <class T>
SpreadRow<T> spread_row();
template <>
SpreadRow<float> spread_row<float>();
template <>
SpreadRow<double> spread_row<double>();

}  // namespace convict::kernels::simd

// SPDX-License-Identifier: Apache-2.0
//
// Copies of rows: the part of staging that has to be fast.
#pragma once

#include <cstdint>

#include "kernels/shared/isa.h"

namespace convict {

/// Where a row comes from.
template <class T>
struct RowSource {
  const T* first;      // what place 0 would hold, if it is inside
  int64_t step;        // elements from one place to the next
  int64_t begin, end;  // places inside; the others are zero
  bool gaps_readable;  // whether the elements between those of two places may be read
};

/// to[j] = j inside ? first[j*step] : 0, for 0 <= j < length; may write less than kRowSlack bytes more.
template <class T>
using StageRow = void (*)(const RowSource<T>& source, int64_t length, T* to);

inline constexpr int64_t kRowSlack = 64;

template <class T>
StageRow<T> stage_row();
template <>
StageRow<float> stage_row<float>();
template <>
StageRow<double> stage_row<double>();

}  // namespace convict

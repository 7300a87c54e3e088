// SPDX-License-Identifier: Apache-2.0
//
// Elements of dense rows that take turns in a result: the phases of a strided axis, stored together.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::simd {

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

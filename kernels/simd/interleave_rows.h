// SPDX-License-Identifier: Apache-2.0
//
// Elements of dense rows that take turns in a result: the phases of a strided axis, stored together.
#pragma once

#include <cstdint>

#include "kernels/simd/isa.h"

namespace convict::kernels::simd {

inline constexpr int64_t kMostInterleavedRows = 4;

/// to[j*rows + i] = from[i][j] for i < rows and j < count. Precondition: 2 <= rows <= kMostInterleavedRows.
template <class T>
using InterleaveRows = void (*)(const T* const* from, int64_t rows, int64_t count, T* to);

template <class T>
const InterleaveRows<T>& interleave_rows();

}  // namespace convict::kernels::simd

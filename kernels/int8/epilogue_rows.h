// SPDX-License-Identifier: Apache-2.0
//
// The epilogue of border/quantized.h for many sums, in vectors: the same operations in the same order, so the same
// bits.
#pragma once

#include <cstdint>

namespace convict::kernels::int8 {

inline constexpr int64_t kMostEpilogueLanes = 16;

/// An element of dst is scale * sum + bias, but at least `low`; 8-bit results also at most `high`, rounded, halves to
/// even, and shifted by the zero point. For int32_t it is the sum.
struct Finish {
  float low, high;
  int32_t zero_point;
};

template <class T>
struct EpilogueRows {
  int64_t lanes;

  /// Sums of one channel: to[j] from sums[j], for j < count.
  void (*row)(const Finish& finish, float scale, float bias, const int32_t* sums, int64_t count, T* to);

  /// Sums of channels that lie side by side: to[j*step + c] from sums[j*lanes + c] with scale[c] and bias[c], for
  /// j < count and c < channels, which are at most `lanes`. Arrays of lanes have all of them.
  void (*channels)(const Finish& finish, const float* scale, const float* bias, int64_t channels, const int32_t* sums,
                   int64_t count, T* to, int64_t step);
};

/// For float, int32_t, int8_t and uint8_t.
template <class T>
const EpilogueRows<T>& epilogue_rows();

}  // namespace convict::kernels::int8

// SPDX-License-Identifier: Apache-2.0
//
// The epilogue of border/quantized.h for many sums, in vectors: the same operations in the same order, so the same
// bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/border/quantized.h"

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

/// Whether vectors compute this epilogue. Sums that stay sums are only copied, or else changed one by one.
template <class T>
bool has_vectors(const border::Epilogue& e) {
  const bool plain = e.beta == 0 && e.requantization.kind == CONVICT_NO_REQUANTIZATION;
  return plain && (!std::is_same_v<T, int32_t> || (!e.bias && !e.relu));
}

template <class T>
Finish finish_of(const border::Epilogue& e) {
  Finish finish = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity(), e.zero_point};
  if constexpr (sizeof(T) == 1) {
    finish.low = static_cast<float>(std::numeric_limits<T>::min() - e.zero_point);
    finish.high = static_cast<float>(std::numeric_limits<T>::max() - e.zero_point);
  }
  if (e.relu) finish.low = std::max(finish.low, 0.0f);
  return finish;
}

inline float scale_of(const border::Epilogue& e, int64_t channel) {
  return e.scale ? e.scale[channel * e.scale_stride] : 1;
}

inline float bias_of(const border::Epilogue& e, int64_t channel) {
  return e.bias ? static_cast<const float*>(e.bias)[channel * e.bias_stride] : -0.0f;  // which changes nothing
}

/// Calls compute(T()) for the type of dst.
template <class Compute>
auto with_result(convict_dtype dtype, const Compute& compute) {
  switch (dtype) {
    case CONVICT_S8: return compute(int8_t());
    case CONVICT_U8: return compute(uint8_t());
    case CONVICT_S32: return compute(int32_t());
    default: return compute(float());
  }
}

}  // namespace convict::kernels::int8

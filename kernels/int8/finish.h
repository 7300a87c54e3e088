// SPDX-License-Identifier: Apache-2.0
//
// An epilogue of border/quantized.h as epilogue_rows.h takes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/border/quantized.h"
#include "kernels/int8/epilogue_rows.h"

namespace convict::kernels::int8 {

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

// SPDX-License-Identifier: Apache-2.0
//
// Copies rows of tensors to and from vectors whose lanes are channels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/simd/tiles.h"

namespace convict::kernels::simd {

/// Strides in elements: in the tensor from one channel, and from one position, to the next; from one vector to the
/// next.
struct LaneStrides {
  int64_t channel, position, vector;
};

/// to[j*vector + c] = from[j*position + c*channel], for c < channels and j < count.
inline void load_lanes(const Tiles<float>& tiles, const LaneStrides& strides, int64_t channels, int64_t count,
                       const float* from, float* to) {
  if (strides.position == 1) return tiles.transpose(channels, count, from, strides.channel, to, strides.vector);
  for (int64_t j = 0; j < count; ++j, from += strides.position, to += strides.vector) {
    if (strides.channel == 1)
      std::copy_n(from, channels, to);
    else
      for (int64_t c = 0; c < channels; ++c) to[c] = from[c * strides.channel];
  }
}

/// to[j*position + c*channel] = from[j*vector + c] + beta * its old contents, which are not read if beta is 0.
inline void store_lanes(const Tiles<float>& tiles, const LaneStrides& strides, int64_t channels, int64_t count,
                        float beta, const float* from, float* to) {
  if (strides.position == 1 && beta == 0) {
    // A few channels at a time: planes are often a multiple of a page apart, and compete for the same sets of a cache.
    constexpr int64_t kSome = 4;
    for (int64_t c = 0; c < channels; c += kSome)
      tiles.transpose(count, std::min(kSome, channels - c), from + c, strides.vector, to + c * strides.channel,
                      strides.channel);
    return;
  }
  for (int64_t j = 0; j < count; ++j, from += strides.vector, to += strides.position)
    for (int64_t c = 0; c < channels; ++c) {
      float& element = to[c * strides.channel];
      element = beta == 0 ? from[c] : from[c] + beta * element;
    }
}

}  // namespace convict::kernels::simd

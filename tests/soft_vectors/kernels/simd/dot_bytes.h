// SPDX-License-Identifier: Apache-2.0
//
// The instruction of AVX-512 VNNI for SoftLanes (hwy/ops/x86_512-inl.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace convict::kernels::simd {

/// sum + the products of unsigned bytes with signed bytes, four to each lane. Nothing saturates.
template <size_t kLanes>
inline std::array<int32_t, kLanes> dot_bytes(std::array<int32_t, kLanes> unsigned_bytes,
                                             std::array<int32_t, kLanes> signed_bytes,
                                             std::array<int32_t, kLanes> sum) {
  for (size_t i = 0; i < kLanes; ++i)
    for (int shift = 0; shift < 32; shift += 8) {
      const int32_t product = static_cast<uint8_t>(static_cast<uint32_t>(unsigned_bytes[i]) >> shift) *
                              static_cast<int8_t>(static_cast<uint32_t>(signed_bytes[i]) >> shift);
      sum[i] = static_cast<int32_t>(static_cast<uint32_t>(sum[i]) + static_cast<uint32_t>(product));
    }
  return sum;
}

}  // namespace convict::kernels::simd

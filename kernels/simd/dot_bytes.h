// SPDX-License-Identifier: Apache-2.0
//
// One instruction of AVX-512 VNNI. Highway 1.0 has no operation for it; and an intrinsic could not be inlined into
// templates that are compiled for AVX-512 as Skylake has it.
#pragma once

#include <immintrin.h>

namespace convict::kernels::simd {

/// sum + the products of unsigned bytes with signed bytes, four to each lane. Nothing saturates.
/// Precondition: has_vnni().
__attribute__((always_inline, target("avx512f"))) inline __m512i dot_bytes(__m512i unsigned_bytes, __m512i signed_bytes,
                                                                           __m512i sum) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
  return sum;
}

__attribute__((always_inline, target("avx512f,avx512vl"))) inline __m256i dot_bytes(__m256i unsigned_bytes,
                                                                                    __m256i signed_bytes, __m256i sum) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
  return sum;
}

}  // namespace convict::kernels::simd

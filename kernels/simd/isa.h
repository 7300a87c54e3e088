// SPDX-License-Identifier: Apache-2.0
//
// Which vector instructions the native kernels use: the best the machine has, but none beyond what the environment
// variable CONVICT_ISA names (baseline, avx2, avx512 or avx512_vnni).
#pragma once

#include <cstdint>

namespace convict::kernels::simd {

/// Applies CONVICT_ISA. To be called before anything is dispatched; further calls do nothing.
void cap_isa();

/// Whether vectors of AVX-512 may be multiplied by VNNI.
bool has_vnni();

/// Why CONVICT_ISA cannot be followed, or nullptr. The text lives as long as the program.
const char* isa_complaint();

/// The target of Highway with the narrowest vectors of at least so many bytes, if they are narrower than those of
/// others of its architecture; else 0. Lanes with nothing in them cost time and memory, too.
int64_t narrow_target(int64_t bytes);

/// The name of one of Highway's targets, as in CONVICT_ISA.
const char* isa_word(long long hwy_target);

}  // namespace convict::kernels::simd

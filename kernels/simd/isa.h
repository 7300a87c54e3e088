// SPDX-License-Identifier: Apache-2.0
//
// Which vector instructions the native kernels may use: the best the machine has, or fewer if the environment variable
// CONVICT_ISA says so (baseline, sse4, avx2 or avx512). A cap is a cap: a machine that has less uses less.
#pragma once

namespace convict::kernels::simd {

/// Applies CONVICT_ISA; has to be called before anything is dispatched, and may be called again.
void cap_isa();

/// Why CONVICT_ISA cannot be followed, or nullptr. The text lives as long as the program.
const char* isa_complaint();

/// The word for one of Highway's targets, as CONVICT_ISA spells it where it has one.
const char* isa_word(long long hwy_target);

}  // namespace convict::kernels::simd

// SPDX-License-Identifier: Apache-2.0
#pragma once

// One version of a function for each instruction set, of which the loader chooses. Clang and the sanitizers get one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CONVICT_FOR_EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CONVICT_FOR_EACH_ISA
#endif
#define CONVICT_INLINE inline __attribute__((always_inline))  // so that it is compiled for each instruction set, too

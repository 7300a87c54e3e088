// SPDX-License-Identifier: Apache-2.0
//
// What dispatching needs of Highway's library, which measures a clock whenever a process loads it: 5 of the 12 ms that
// a worker took to start. So the linker drops the library. Elsewhere than on x86 it is loaded.
#include <hwy/highway.h>

#if HWY_ARCH_X86
namespace hwy {

/// Of the instruction sets that kernels are compiled for. All processors with these bits have the rest of what Highway
/// compiles for: LZCNT and F16C came with AVX2.
int64_t SupportedTargets() {
  int64_t targets = HWY_SSE4;  // CMakeLists.txt compiles the whole program for it
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    targets |= HWY_AVX2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    targets |= HWY_AVX3;
  return targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
#endif

// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/machine.h"

#include <hwy/highway.h>

namespace convict::kernels::simd {

Machine this_machine() {
#if HWY_ARCH_X86
  return {hwy::SupportedTargets(), __builtin_cpu_supports("avx512vnni") != 0};
#else
  return {hwy::SupportedTargets(), false};
#endif
}

}  // namespace convict::kernels::simd

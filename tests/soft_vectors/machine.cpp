// SPDX-License-Identifier: Apache-2.0
//
// Instead of kernels/simd/machine.cpp: every machine has AVX-512 with VNNI.
#include "kernels/simd/machine.h"

#include <hwy/highway.h>

namespace convict::kernels::simd {

Machine this_machine() { return {hwy::SupportedTargets() | HWY_AVX3, true}; }

}  // namespace convict::kernels::simd
